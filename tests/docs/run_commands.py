#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run every command that a guide prints, from the repository's root, and check its exit status.

A command counts as right with status 0, unless the guide appends an echo of the status, in which case the text says
what to expect. Files that the commands make in the tree are removed.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M):
        for line in block.splitlines():
            line = re.sub(r"\s+#.*", "", line).strip()
            if line:
                yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("guide", type=pathlib.Path, nargs="+")
    parser.add_argument("--skip", action="append", default=[], help="commands not to run, such as the tests' own")
    args = parser.parse_args()
    untracked = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    before = set(subprocess.run(untracked, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.split(b"\0"))
    failed = 0
    count = 0
    try:
        for guide in args.guide:
            for command in commands(guide.read_text()):
                if command in args.skip:
                    continue
                count += 1
                result = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
                expected = "exit status 4" if "echo \"exit status" in command else ""
                good = result.returncode == 0 and expected in result.stdout
                print(f"{'ok  ' if good else 'FAIL'}  {guide.name}: {command}")
                if not good:
                    failed += 1
                    print("\n".join(f"      {line}" for line in result.stdout.splitlines()[-15:]))
    finally:
        after = set(subprocess.run(untracked, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.split(b"\0"))
        for name in after - before:
            (ROOT / name.decode()).unlink()
    if not count:
        sys.exit("no commands found: a guide's sh blocks have moved")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
