# SPDX-License-Identifier: Apache-2.0
"""Networks of all kinds, written from the descriptions in their papers, made narrow."""

from . import attention, classical, making, memory, mobile, others, places, segmentation, sound
from .instances import arrays, make
from .parts import NETWORKS

__all__ = ["NETWORKS", "arrays", "make"]
