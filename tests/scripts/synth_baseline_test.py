#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/synth --baseline on made-up summaries: what it lets pass, what it fails, and that it says why."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NTX = {"kge": 40.0, "path_ns": 5.0, "sram_kbit": 0}
DMA = {"kge": 10.0, "path_ns": 3.0, "sram_kbit": 8.3}


class Baseline(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.baseline = pathlib.Path(self.folder.name) / "baseline.json"
        self.summary = pathlib.Path(self.folder.name) / "summary.json"
        self.write(self.baseline, {"ntx": NTX, "dma": DMA})

    @staticmethod
    def write(path, blocks):
        path.write_text(json.dumps({"blocks": blocks}))

    def synth(self, blocks, *arguments):
        self.write(self.summary, blocks)
        result = subprocess.run([sys.executable, ROOT / "scripts/synth", "--summary", self.summary, "--baseline", self.baseline,
                                 *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    def test_equal_figures_pass(self):
        status, out = self.synth({"ntx": NTX, "dma": DMA})
        self.assertEqual(status, 0, out)
        self.assertIn("2 blocks within 3 %", out)

    def test_a_change_within_the_tolerance_passes(self):
        status, out = self.synth({"ntx": NTX | {"kge": 41.1, "path_ns": 5.14}, "dma": DMA})
        self.assertEqual(status, 0, out)
        self.assertNotIn("WORSE", out)

    def test_a_larger_block_fails_and_is_named(self):
        status, out = self.synth({"ntx": NTX | {"kge": 41.3}, "dma": DMA})
        self.assertEqual(status, 1, out)
        self.assertIn("WORSE: ntx: area 40 -> 41.3 kGE (+3.2 %)", out)
        self.assertNotIn("dma:", out)
        self.assertNotIn("longest path", out)

    def test_a_slower_block_fails_and_is_named(self):
        status, out = self.synth({"ntx": NTX, "dma": DMA | {"path_ns": 3.2}})
        self.assertEqual(status, 1, out)
        self.assertIn("WORSE: dma: longest path 3 -> 3.2 ns (+6.7 %)", out)
        self.assertNotIn("WORSE: ntx", out)

    def test_sram_that_appears_fails(self):
        status, out = self.synth({"ntx": NTX | {"sram_kbit": 1.0}})
        self.assertEqual(status, 1, out)
        self.assertIn("WORSE: ntx: SRAM 0 -> 1 kbit", out)

    def test_an_improvement_passes_and_asks_to_be_recorded(self):
        status, out = self.synth({"ntx": NTX | {"kge": 35.0}, "dma": DMA})
        self.assertEqual(status, 0, out)
        self.assertIn("better: ntx: area 40 -> 35 kGE (-12.5 %); record it", out)

    def test_a_block_without_baseline_fails(self):
        status, out = self.synth({"axi_mux": DMA})
        self.assertEqual(status, 1, out)
        self.assertIn("axi_mux: not in the baseline", out)

    def test_the_tolerance_is_the_users(self):
        worse = {"ntx": NTX | {"kge": 43.0}}
        self.assertEqual(self.synth(worse)[0], 1)
        self.assertEqual(self.synth(worse, "--tolerance", "10")[0], 0)

    def test_an_update_records_these_blocks_and_keeps_the_others(self):
        self.assertEqual(self.synth({"ntx": NTX | {"kge": 50.0}}, "--update-baseline")[0], 0)
        recorded = json.loads(self.baseline.read_text())["blocks"]
        self.assertEqual(recorded, {"ntx": NTX | {"kge": 50.0}, "dma": DMA})
        self.assertEqual(self.synth({"ntx": NTX | {"kge": 50.0}, "dma": DMA})[0], 0)

    def test_no_baseline_is_an_error_that_names_the_file(self):
        self.baseline.unlink()
        status, out = self.synth({"ntx": NTX})
        self.assertEqual(status, 1, out)
        self.assertIn(str(self.baseline), out)

    def test_own_blocks_have_no_published_figure(self):
        out = self.synth({"ntx": NTX, "dma": DMA})[1]
        ntx, dma = [line.split() for line in out.splitlines() if line.startswith(("ntx", "dma"))]
        self.assertEqual(ntx, ["ntx", "40.00", "60.60", "5.00", "5.20", "-"])
        self.assertEqual(dma, ["dma", "10.00", "-", "3.00", "-", "8.3"])


if __name__ == "__main__":
    unittest.main()
