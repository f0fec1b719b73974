# SPDX-License-Identifier: Apache-2.0
"""rushlight.executorch: a script for ExecuTorch's Cortex-M flow runs after a change of imports. Needs torchao."""

import io
import os
import tempfile
import unittest

import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import rushlight
import rushlight.executorch as shim


class Two(torch.nn.Module):
    """Two inputs, one of which is not used first, and a batch norm."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, stride=2)
        self.norm = torch.nn.BatchNorm2d(8)
        self.linear = torch.nn.Linear(8, 4)

    def forward(self, gain, image):
        x = torch.relu(self.norm(self.conv(image)))
        return self.linear(x.mean((2, 3)) * gain)


def calls(count):
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.rand(1, 8, generator=generator), torch.randn(1, 3, 12, 12, generator=generator)) for _ in range(count)
    ]


def quantized(model, samples):
    """What the stock flow does up to the quantized program."""
    graph = torch.export.export(model, samples[0]).module()
    prepared = prepare_pt2e(graph, shim.CortexMQuantizer())
    for inputs in samples:
        prepared(*inputs)
    return torch.export.export(convert_pt2e(prepared), samples[0])


class Executorch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Two().eval()
        self.samples = calls(24)

    def direct(self, **options):
        """The same model without the names of ExecuTorch."""
        return rushlight.compile(self.model, self.samples[0], calibration=self.samples, **options)

    def test_stock_script(self):
        edge = shim.to_edge(
            quantized(self.model, self.samples),
            compile_config=shim.EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default]),
        )
        edge._edge_programs["forward"] = shim.CortexMPassManager(edge.exported_program()).transform()
        answer = edge.exported_program().module()(*self.samples[3])
        made = edge.to_executorch(config=shim.ExecutorchBackendConfig(extract_delegate_segments=False))
        wanted = self.direct(target="cortex-m55", runtime="executorch")
        self.assertEqual(made.buffer, wanted.pte)
        self.assertTrue(torch.equal(answer, wanted.run(*self.samples[3])))
        self.assertGreater(made.program.evaluate(self.samples).sqnr_db, 30)
        file = io.BytesIO()
        made.write_to_file(file)
        self.assertEqual(file.getvalue(), wanted.pte)
        with tempfile.TemporaryDirectory() as folder:
            made.save(os.path.join(folder, "model.pte"))
            self.assertEqual(rushlight.load(os.path.join(folder, "model.pte")).pte, wanted.pte)

    def test_target_and_layout(self):
        program = quantized(self.model, self.samples)
        edge = shim.to_edge_transform_and_lower({"forward": program})
        config = shim.CortexMTargetConfig(cpu=shim.CortexM.M4)
        manager = shim.CortexMPassManager(
            edge.exported_program(), shim.CortexMPassManager.pass_list, target_config=config, use_explicit_layout=True
        )
        edge._edge_programs["forward"] = manager.transform()
        made = edge.to_executorch(runtime="rushlight").program
        self.assertEqual(made.pte, self.direct(target="cortex-m4", explicit_layout=True).pte)
        self.assertIn("cortex_m::quantized_conv2d_nhwc", made.info.ops)
        scalar = shim.CortexMTargetConfig(shim.CortexM.M4, isa="scalar")
        plain = shim.CortexMPassManager(program, target_config=scalar).transform().program("rushlight")
        self.assertEqual(plain.pte, self.direct(target="cortex-m4+scalar").pte)
        self.assertEqual(shim.CortexMTargetConfig.from_target_string("cortex-m0plus").cpu, shim.CortexM.M0PLUS)

    def test_saved_graph(self):
        """Samples are in the graph, so that it can be saved in between."""
        file = io.BytesIO()
        torch.export.save(quantized(self.model, self.samples), file)
        file.seek(0)
        made = shim.to_edge(torch.export.load(file)).to_executorch()
        self.assertEqual(made.buffer, self.direct(target="cortex-m55", runtime="executorch").pte)

    def test_graph_without_samples(self):
        """It compiles as it is, here in float, with the warning of rushlight.compile."""
        exported = torch.export.export(self.model, self.samples[0])
        with self.assertWarns(rushlight.RushlightWarning):
            made = shim.to_edge(exported).to_executorch()
        with self.assertWarns(rushlight.RushlightWarning):
            wanted = rushlight.compile(exported, target="cortex-m55", runtime="executorch")
        self.assertEqual(made.buffer, wanted.pte)

    def refused(self, words, call):
        with self.assertRaisesRegex(rushlight.UsageError, words):
            call()

    def test_refusals(self):
        graph = torch.export.export(self.model, self.samples[0])
        edge = shim.to_edge(graph)
        prepared = prepare_pt2e(graph.module(), shim.CortexMQuantizer())
        self.refused("was not called", lambda: convert_pt2e(prepared))
        self.refused("per_tensor_config", lambda: shim.CortexMQuantizer(per_tensor_config=object()))
        self.refused("passes of others", lambda: shim.CortexMPassManager(graph, [object]))
        self.refused("of type NoneType cannot be lowered", lambda: shim.CortexMPassManager(None).transform())
        self.refused("'cortex-a53' is not known", lambda: shim.CortexMTargetConfig.from_target_string("cortex-a53"))
        self.refused("encode, decode", lambda: shim.to_edge({"encode": graph, "decode": graph}))
        self.refused("constant_methods", lambda: shim.to_edge(graph, constant_methods={"size": 3}))
        self.refused("partitioner", lambda: shim.to_edge_transform_and_lower(graph, partitioner=[object()]))
        self.refused("'encode' is not there", lambda: edge.exported_program("encode"))
        bad = shim.CortexMTargetConfig(shim.CortexM.M0, isa="mve")
        self.refused("mve", lambda: shim.CortexMPassManager(graph, target_config=bad).transform().program())


if __name__ == "__main__":
    unittest.main()
