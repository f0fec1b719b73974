# SPDX-License-Identifier: Apache-2.0
"""The names of ExecuTorch's Cortex-M flow, so that a script for it compiles with Rushlight after a change of imports.

    from rushlight.executorch import (
        CortexM, CortexMPassManager, CortexMQuantizer, CortexMTargetConfig, EdgeCompileConfig, ExecutorchBackendConfig,
        to_edge, to_edge_transform_and_lower,
    )

`prepare_pt2e` and `convert_pt2e` stay those of torchao. The quantizer records the samples with which the prepared graph
is called, and Rushlight quantizes when the program is made, so `convert_pt2e` gives a graph in floating point. What
int8 costs is seen from `CortexMPassManager.transform().module()`, which runs the program, and from
`EdgeProgramManager.to_executorch().program.evaluate`. Graphs that another quantizer of PT2E made keep its choices.

Needs PyTorch and torchao, nothing of ExecuTorch. docs/tutorials/from_executorch.md has an example.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

import torch
from torchao.quantization.pt2e import ObserverBase
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

from ._compile import compile
from ._errors import UsageError
from ._program import Program


@torch.library.custom_op("rushlight::calibrated", mutates_args=())  # type: ignore[untyped-decorator,unused-ignore]
def _calibrated(value: torch.Tensor, samples: torch.Tensor) -> torch.Tensor:
    """The value; `samples` are what the compiler calibrates this input with, [calls, *shape of the value]."""
    return value.clone()


@_calibrated.register_fake  # type: ignore[untyped-decorator,unused-ignore]
def _(value: torch.Tensor, samples: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(value)


class _Recorder(ObserverBase):  # type: ignore[misc,unused-ignore]
    """Keeps what an input gets while the prepared graph is called."""

    def __init__(self, dtype: torch.dtype = torch.int8, **_: Any) -> None:
        super().__init__(dtype=dtype)
        self.samples: list[torch.Tensor] = []

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        self.samples.append(value.detach().clone())
        return value

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        raise UsageError("the compiler chooses scales, from the samples")

    def convert(self, model: torch.fx.GraphModule, node: torch.fx.Node) -> None:
        """What convert_pt2e calls in place of inserting quantize and dequantize nodes."""
        if not self.samples:
            raise UsageError("the prepared graph was not called: call it with some dozens of typical samples")
        value = node.args[0]
        name = f"rushlight_samples_{value.name}"  # type: ignore[union-attr,unused-ignore]
        model.register_buffer(name, torch.stack(self.samples))
        with model.graph.inserting_before(node):
            samples = model.graph.get_attr(name)
            calibrated = model.graph.call_function(torch.ops.rushlight.calibrated.default, (value, samples))
        node.replace_all_uses_with(calibrated)
        model.graph.erase_node(node)


class CortexMQuantizer(Quantizer):  # type: ignore[misc,unused-ignore]
    """In place of ExecuTorch's CortexMQuantizer: records samples at the inputs, for the compiler's own quantizer.

    per_tensor_config: None; the compiler chooses types.
    use_explicit_layout: accepted; what counts is that of CortexMPassManager.
    """

    def __init__(self, per_tensor_config: Any = None, use_explicit_layout: bool = False) -> None:
        super().__init__()
        if per_tensor_config is not None:
            raise UsageError("per_tensor_config is not known here: the compiler chooses types; accepted: None")

    def annotate(self, model: torch.fx.GraphModule) -> torch.fx.GraphModule:
        for node in model.graph.nodes:
            if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor):
                spec = QuantizationSpec(torch.int8, _Recorder, -128, 127, torch.per_tensor_affine)
                node.meta["quantization_annotation"] = QuantizationAnnotation(output_qspec=spec, _annotated=True)
        return model

    def validate(self, model: torch.fx.GraphModule) -> None:
        return None


class CortexM(enum.Enum):
    """Cores, by the names of ExecuTorch."""

    M0 = "cortex-m0"
    M0PLUS = "cortex-m0plus"
    M3 = "cortex-m3"
    M4 = "cortex-m4"
    M7 = "cortex-m7"
    M23 = "cortex-m23"
    M33 = "cortex-m33"
    M35P = "cortex-m35p"
    M55 = "cortex-m55"
    M85 = "cortex-m85"


@dataclass(frozen=True)
class CortexMTargetConfig:
    """A core, and if it is not the usual one, its instruction set: "scalar", "dsp", "mve", or ExecuTorch's Backend."""

    cpu: CortexM
    isa: Any = None

    @property
    def target_string(self) -> str:
        """The core as `rushlight targets` lists it, without the instruction set."""
        return self.cpu.value

    @classmethod
    def from_target_string(cls, target: str) -> CortexMTargetConfig:
        """The core of this name, such as "cortex-m4"."""
        try:
            return cls(CortexM(target))
        except ValueError as error:
            names = ", ".join(core.value for core in CortexM)
            raise UsageError(f"a target '{target}' is not known; accepted: {names}") from error


class EdgeCompileConfig:
    """Settings of ExecuTorch's edge dialect; none of them matters here."""

    def __init__(self, **_: Any) -> None:
        pass


class ExecutorchBackendConfig:
    """Settings of ExecuTorch's emitter; none of them matters here."""

    def __init__(self, **_: Any) -> None:
        pass


@dataclass
class Lowered:
    """A graph with what CortexMPassManager was told: what `to_executorch` compiles."""

    graph: torch.export.ExportedProgram
    target: str = "cortex-m55"
    explicit_layout: bool = False

    def program(self, runtime: Literal["executorch", "rushlight"] = "executorch") -> Program:
        """Compiles it, for ExecuTorch's runtime or ours."""
        graph, samples = _without_samples(self.graph)
        return compile(
            graph,
            calibration=samples,
            calibration_samples=None,
            target=self.target,
            runtime=runtime,
            explicit_layout=self.explicit_layout,
        )

    def module(self) -> Callable[..., Any]:
        """A function of the inputs that runs the compiled program on the host."""
        return self.program().run


class CortexMPassManager:
    """In place of ExecuTorch's CortexMPassManager: says for which core and layout the compiler lowers a graph.

    passes: None or `pass_list`; the passes are those of the compiler.
    target_config: ours or ExecuTorch's CortexMTargetConfig; None: Cortex-M55.
    use_explicit_layout: images are tensors of N, H, W, C, for operators ending in _nhwc.
    """

    pass_list: tuple[Any, ...] = ()

    def __init__(
        self,
        exported_program: torch.export.ExportedProgram | None,
        passes: Any = None,
        target_config: Any = None,
        use_explicit_layout: bool = False,
    ) -> None:
        if passes:
            raise UsageError("passes of others are not run; accepted: None or CortexMPassManager.pass_list")
        self.exported_program = exported_program
        self.target_config = target_config or CortexMTargetConfig(CortexM.M55)
        self.use_explicit_layout = use_explicit_layout

    def transform(self) -> Lowered:
        """What takes the place of the program in `edge._edge_programs["forward"]`."""
        if not isinstance(self.exported_program, torch.export.ExportedProgram):
            raise UsageError(
                f"a program of type {type(self.exported_program).__name__} cannot be lowered; accepted: "
                "torch.export.ExportedProgram, as exported_program() of rushlight.executorch.to_edge gives it"
            )
        isa = self.target_config.isa
        suffix = "" if isa is None else "+" + str(getattr(isa, "name", isa)).lower()
        target = self.target_config.target_string + suffix
        return Lowered(self.exported_program, target, self.use_explicit_layout)


class ExecutorchProgramManager:
    """A compiled program; `program` is the rushlight.Program with all that can be asked of it."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @property
    def buffer(self) -> bytes:
        """The bytes of the .pte."""
        return self.program.pte

    def write_to_file(self, file: BinaryIO) -> None:
        """Writes the .pte to an open file."""
        file.write(self.buffer)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .pte: all of it or nothing."""
        self.program.save(path)


class EdgeProgramManager:
    """In place of ExecuTorch's EdgeProgramManager: holds the exported program until it is compiled."""

    def __init__(self, program: torch.export.ExportedProgram | Lowered) -> None:
        self._edge_programs: dict[str, torch.export.ExportedProgram | Lowered] = {"forward": program}

    def exported_program(self, method_name: str = "forward") -> Any:
        """What was exported, or what CortexMPassManager made of it."""
        if method_name != "forward":
            raise UsageError(f"a method '{method_name}' is not there; accepted: forward")
        return self._edge_programs["forward"]

    def to_executorch(
        self, config: Any = None, *, runtime: Literal["executorch", "rushlight"] = "executorch"
    ) -> ExecutorchProgramManager:
        """Quantizes, lowers, plans and writes the program, for Cortex-M55 unless CortexMPassManager was told another.

        runtime: "rushlight" writes one for our runtime, which is faster and more exact.
        """
        held = self._edge_programs["forward"]
        lowered = held if isinstance(held, Lowered) else CortexMPassManager(held).transform()
        return ExecutorchProgramManager(lowered.program(runtime))


def to_edge(
    programs: Any, constant_methods: Any = None, compile_config: Any = None, generate_etrecord: bool = False
) -> EdgeProgramManager:
    """In place of ExecuTorch's function. `programs` is an ExportedProgram, or a mapping with one, "forward".

    compile_config is not needed: no operator has to be preserved. There are no constant methods and no ETRecords.
    """
    if isinstance(programs, Mapping):
        if list(programs) != ["forward"]:
            raise UsageError(f"the methods {', '.join(programs)} cannot be one program; accepted: forward alone")
        programs = programs["forward"]
    if constant_methods or generate_etrecord:
        raise UsageError("constant_methods and generate_etrecord are not known here; leave them out")
    return EdgeProgramManager(programs)


def to_edge_transform_and_lower(
    programs: Any,
    transform_passes: Any = None,
    partitioner: Any = None,
    constant_methods: Any = None,
    compile_config: Any = None,
    generate_etrecord: bool = False,
) -> EdgeProgramManager:
    """In place of ExecuTorch's function, without passes and partitioners of others."""
    if transform_passes or partitioner:
        raise UsageError("transform_passes and partitioner are not run here; leave them out")
    return to_edge(programs, constant_methods, compile_config, generate_etrecord)


def _without_samples(program: torch.export.ExportedProgram) -> tuple[torch.export.ExportedProgram, Any]:
    """The graph without the nodes that carry samples, and the samples: a tuple with an array an input for each call."""
    carried = [node for node in program.graph.nodes if node.target is torch.ops.rushlight.calibrated.default]
    if not carried:
        return program, None
    model = program.module(check_guards=False)
    inputs = [node.name for node in model.graph.nodes if node.op == "placeholder"]
    samples: dict[str, torch.Tensor] = {}
    for node in list(model.graph.nodes):
        if node.target is torch.ops.rushlight.calibrated.default:
            samples[node.args[0].name] = getattr(model, node.args[1].target)
            node.replace_all_uses_with(node.args[0])
            model.graph.erase_node(node)
    model.graph.eliminate_dead_code()
    model.recompile()
    example, named = program.example_inputs
    graph = torch.export.export(model, example, named)
    return graph, list(zip(*(samples[name] for name in inputs)))
