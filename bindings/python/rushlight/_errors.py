# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package. Their text is the sentence that the command line prints."""


class RushlightError(RuntimeError):
    """The model, the program or the data is wrong, or something that the call needs is not installed."""


class UsageError(RushlightError, ValueError):
    """An argument is wrong: its text says which, and what is accepted."""


class Cancelled(RushlightError):
    """The call was given up on the way."""


class RushlightWarning(UserWarning):
    """What the command line prints as a warning."""
