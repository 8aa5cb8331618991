#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Run every command that a guide prints, from the repository's root; check exit status and printed output.

A guide's sh blocks hold commands, one a line. A command counts as right with status 0, unless the guide appends an
echo of the status. A text block after an sh block (nothing but prose between them) is what the block's commands print:
each of its lines must be a line of the output, in that order. "..." stands for any text within a line, and alone in a
line for any number of lines; spaces at the ends of a line do not count. Files that the commands make in the tree are
removed.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def commands_of(block):
    for line in block.splitlines():
        line = re.sub(r"\s+#.*", "", line).strip()
        if line:
            yield line


def blocks_of(text):
    """Pairs of an sh block's commands and the lines that they are said to print (None: nothing is said)."""
    found = []
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.S | re.M):
        if language == "sh":
            found.append([list(commands_of(block)), None])
        elif language == "text":
            if not found or found[-1][1] is not None:
                raise ValueError(f"a text block without commands before it: {block.splitlines()[0]}")
            found[-1][1] = block.splitlines()
    return found


def missing_line(expected, output):
    """The first expected line that the output does not have at its place, or None."""
    # What follows a line in the guide follows it at once in the output, unless "..." is between them.
    lines = [line.strip() for line in output.splitlines()]
    at = 0
    anywhere = True
    for line in (line.strip() for line in expected):
        if line == "...":
            anywhere = True
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("...")))
        places = range(at, len(lines)) if anywhere else range(at, min(at + 1, len(lines)))
        at = next((i + 1 for i in places if pattern.fullmatch(lines[i])), None)
        if at is None:
            return line
        anywhere = False
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("guide", type=pathlib.Path, nargs="+")
    parser.add_argument("--skip", action="append", default=[], help="commands not to run, such as the tests' own")
    args = parser.parse_args()
    untracked = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    before = set(subprocess.run(untracked, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.split(b"\0"))
    failed = 0
    count = 0

    def report(good, what, details=()):
        nonlocal failed
        print(f"{'ok  ' if good else 'FAIL'}  {what}", flush=True)
        if not good:
            failed += 1
            print("\n".join(f"      {line}" for line in details), flush=True)

    try:
        for guide in args.guide:
            for commands, expected in blocks_of(guide.read_text(encoding="utf-8")):
                output = ""
                for command in commands:
                    if command in args.skip:
                        continue
                    count += 1
                    result = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT, encoding="utf-8", stdin=subprocess.DEVNULL)
                    output += result.stdout
                    report(result.returncode == 0, f"{guide.name}: {command}", result.stdout.splitlines()[-15:])
                if expected is not None:
                    line = missing_line(expected, output)
                    report(line is None, f"{guide.name}: prints what the guide shows",
                           [f"no line at its place like: {line}", "in:", *output.splitlines()])
    finally:
        after = set(subprocess.run(untracked, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.split(b"\0"))
        for name in after - before:
            (ROOT / name.decode()).unlink()
    if not count:
        sys.exit("no commands found: a guide's sh blocks have moved")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
