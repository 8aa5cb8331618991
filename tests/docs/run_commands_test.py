#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""That the check of the guides' outputs finds stale ones."""
import sys
import unittest

from run_commands import blocks_of, missing_line

OUTPUT = "axpy\n  seed 1, RTL\n\ncycles   19,272   15.4 us\ncheck    5 words: 0 mismatches\n"


class GuideTest(unittest.TestCase):
    def test_output_as_shown(self):
        for shown in (["axpy", "seed 1, RTL"], ["check    5 words: 0 mismatches"], ["cycles ... us"], ["...19,272..."],
                      ["axpy", "...", "cycles...", "check    ... words: 0 mismatches"], []):
            self.assertIsNone(missing_line(shown, OUTPUT), shown)

    def test_stale_output(self):
        for shown, line in ((["axpi"], "axpi"), (["cycles 19,272"], "cycles 19,272"),
                            (["check ... 1 mismatches"], "check ... 1 mismatches"),
                            # Not the next line, and not in this order.
                            (["axpy", "cycles..."], "cycles..."), (["check...", "...", "axpy"], "axpy"),
                            (["check...", "more"], "more")):
            self.assertEqual(missing_line(shown, OUTPUT), line)

    def test_blocks(self):
        text = "a\n```sh\none # comment\n\ntwo\n```\nprose\n```text\nout\n```\n```sh\nthree\n```\n```c\nint x;\n```\n"
        self.assertEqual(blocks_of(text), [[["one", "two"], ["out"]], [["three"], None]])
        with self.assertRaises(ValueError):
            blocks_of("```text\nnobody's\n```\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
