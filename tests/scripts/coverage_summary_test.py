#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/coverage-summary on made-up data: sums over instances, branches of a line, bits that never toggle,
the minimum, exceptions, and stale ones."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/coverage-summary"
SOURCE = ["module m;", "  a <= b;", "  c <= d;", "  e <= f;", "endmodule"]


def point(page, line, count, name="block", instance="TOP.m", lines=None, column=1):
    """One of Verilator's points; it stands for its line, for `lines`, or if they are "" for none."""
    fields = {"f": "rtl/m.sv", "l": line, "n": column, "page": f"{page}/m", "o": name, "h": instance}
    lines = line if lines is None else lines
    if lines and not page.startswith("v_toggle"):
        fields["S"] = lines
    text = "".join(f"\x01{key}\x02{value}" for key, value in fields.items())
    return f"C '{text}' {count}\n"


class CoverageSummary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "rtl").mkdir()
        (self.root / "rtl/m.sv").write_text("\n".join(SOURCE) + "\n")

    def summary(self, points, exceptions="exceptions: []", *arguments):
        data, file, out = self.root / "coverage.dat", self.root / "exceptions.yaml", self.root / "out.json"
        data.write_text("# SystemC::Coverage-3\n" + "".join(points))
        file.write_text(exceptions)
        result = subprocess.run([sys.executable, SCRIPT, data, "--root", self.root, "--exceptions", file, "--json", out,
                                 *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout, json.loads(out.read_text()) if out.exists() else None

    def test_counts_of_instances_add_up(self):
        status, out, data = self.summary([point("v_line", 2, 0, instance="TOP.a", lines="2-4"),
                                          point("v_line", 2, 3, instance="TOP.b", lines="2-4")])
        self.assertEqual((status, data["lines"], data["covered"]), (0, 3, 3), out)

    def test_too_few_lines_fail_and_are_named(self):
        status, out, data = self.summary([point("v_line", 2, 1), point("v_line", 3, 0)])
        self.assertEqual((status, data["covered"]), (1, 1), out)
        self.assertIn("not reached: rtl/m.sv:3: c <= d;", out)
        self.assertIn("NO REASON GIVEN", out)
        self.assertIn("TOO FEW", out)

    def test_a_missed_line_without_reason_fails_whatever_the_minimum(self):
        points = [point("v_line", 2, 1), point("v_line", 3, 0)]
        self.assertEqual(self.summary(points, "exceptions: []", "--minimum", "50")[0], 1)

    def test_a_line_is_reached_when_each_branch_on_it_is(self):
        taken, skipped = point("v_branch", 3, 1, name="if"), point("v_branch", 3, 0, name="else", column=2)
        self.assertEqual(self.summary([point("v_line", 3, 1, column=9), point("v_branch", 3, 0, name="if")])[2]["covered"], 0)
        self.assertEqual(self.summary([taken, skipped])[2]["covered"], 0)
        # An else that is not written is no line.
        self.assertEqual(self.summary([taken, point("v_branch", 3, 0, name="else", column=2, lines="")])[2]["covered"], 1)

    def test_branches_add_up_over_parameters_and_models(self):
        points = [point("v_branch", 3, 0, name="if"),
                  point("v_branch", 3, 2, name="if", instance="TOP.other").replace("v_branch/m", "v_branch/m__P1")]
        self.assertEqual(self.summary(points)[2]["covered"], 1)

    def test_bits_that_never_toggle_are_named(self):
        points = [point("v_line", 2, 1)] + [point("v_toggle", 3, int(number in (0, 6)), name=f"x[{number}]") for number in range(10)]
        points += [point("v_toggle", 3, 0, name="y"), point("v_toggle", 4, 0, name="z[1][0]"), point("v_toggle", 4, 1, name="w")]
        # In one instance is enough.
        points += [point("v_toggle", 3, 1, name="x[9]", instance="TOP.other")]
        status, out, data = self.summary(points)
        self.assertEqual((status, data["bits"], data["toggled"]), (0, 13, 4), out)
        self.assertEqual(data["files"]["rtl/m.sv"]["still"], [{"line": 3, "bits": "x[8:7,5:1]"}, {"line": 3, "bits": "y"},
                                                              {"line": 4, "bits": "z[1][0]"}])
        self.assertIn("not toggled: rtl/m.sv:3: x[8:7,5:1]", out)

    def test_a_toggle_is_a_bit_and_not_a_line(self):
        data = self.summary([point("v_line", 2, 1), point("v_toggle", 3, 0, name="x[0]"),
                             point("v_toggle", 3, 5, name="x[1]")])[2]
        self.assertEqual([data[key] for key in ("lines", "covered", "bits", "toggled")], [1, 1, 2, 1])

    def test_an_exception_goes_by_text_and_is_printed(self):
        exceptions = "exceptions: [{file: rtl/m.sv, text: 'c <= d;', reason: because}]"
        status, out, data = self.summary([point("v_line", 2, 1), point("v_line", 3, 0)], exceptions, "--minimum", "50")
        self.assertEqual((status, data["explained"], data["unexplained"]), (0, 1, 0), out)
        self.assertIn("because", out)
        # The same with two more lines before it.
        (self.root / "rtl/m.sv").write_text("//\n//\n" + "\n".join(SOURCE) + "\n")
        status, out, data = self.summary([point("v_line", 4, 1), point("v_line", 5, 0)], exceptions, "--minimum", "50")
        self.assertEqual((status, data["explained"]), (0, 1), out)

    def test_an_exception_does_not_lift_the_minimum(self):
        exceptions = "exceptions: [{file: rtl/m.sv, text: 'c <= d;', reason: because}]"
        self.assertEqual(self.summary([point("v_line", 2, 1), point("v_line", 3, 0)], exceptions)[0], 1)

    def test_an_exception_whose_line_is_reached_or_gone_is_stale(self):
        for text, said in (("c <= d;", "is reached"), ("c <= g;", "no line is")):
            exceptions = f"exceptions: [{{file: rtl/m.sv, text: '{text}', reason: because}}]"
            status, out, _ = self.summary([point("v_line", 2, 1), point("v_line", 3, 1)], exceptions)
            self.assertEqual(status, 1, out)
            self.assertIn(f"STALE exception: rtl/m.sv: {said}", out)

    def test_an_exception_without_reason_is_an_error(self):
        status, out, _ = self.summary([point("v_line", 2, 1)], "exceptions: [{file: rtl/m.sv, text: x}]")
        self.assertEqual(status, 1)
        self.assertIn("needs file, text and reason", out)

    def test_data_of_something_else_is_an_error(self):
        # The second is cut short.
        for record in "what is this\n", "C '\x01f\x02rtl/m.sv\x01l\x022\x01n\x02' 7\n":
            status, out, _ = self.summary([record])
            self.assertEqual(status, 1)
            self.assertIn("coverage.dat:2", out)


if __name__ == "__main__":
    unittest.main()
