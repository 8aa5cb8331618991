#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The launcher and scripts/build on the machines and in the checkouts that users have.

Each test makes a small checkout with the real scripts. A stand-in for CMake writes down how it is called and
"builds" a program that prints its arguments and its folder.
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOBODY = 65534

CMAKE = """\
    #!/bin/sh
    here=$(dirname "$0")
    echo "$*" >>"$here/calls"
    case $1 in
      --preset)
        while [ "$1" != -B ]; do shift; done
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$2/CMakeCache.txt"
        echo >"$2/build.ninja"
        ;;
      --build)
        if [ -e "$here/fails" ]; then
          printf '\\0011/2 Building CXX object a/CMakeFiles/b.dir/c.cpp.o\\n'
          echo "FAILED: c.cpp.o"; echo "c.cpp:1:2: error: what it says"; echo "ninja: build stopped"
          exit 1
        fi
        mkdir "$here/building" || exit 9
        sleep 0.5
        rmdir "$here/building"
        mkdir -p "$2/bin"
        printf '#!/bin/sh\\nprintf "<%%s>" "$@"\\necho " in $PWD"\\n' >"$2/bin/nearcube"
        chmod 755 "$2/bin/nearcube"
        echo "-- Configuring done"
        printf '\\0012/2 Linking CXX executable bin/nearcube\\n'
        ;;
    esac
"""


class Checkout:
    def __init__(self, folder):
        self.path = folder
        for name in ["nearcube", "scripts/build", "docs/reference/help.md", "CMakePresets.json", "Makefile"]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        self.script("scripts/setup.sh", "#!/bin/sh\n")
        self.tools = folder.parent / "tools"
        self.tools.mkdir(exist_ok=True)
        self.script(self.tools / "cmake", CMAKE)

    def script(self, name, text):
        file = self.path / name
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        file.chmod(0o755)

    def calls(self):
        file = self.tools / "calls"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def environment(self, **more):
        return {"PATH": f"{self.tools}:/usr/bin:/bin", **more}

    def start(self, *arguments, launcher=None, cwd=None, environment=None, user=None):
        return subprocess.Popen(
            [launcher or self.path / "nearcube", *arguments], cwd=cwd or self.path, user=user,
            env=self.environment() if environment is None else environment, encoding="utf-8",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, **settings):
        process = self.start(*arguments, **settings)
        process.out, process.err = process.communicate(timeout=60)
        return process


class LauncherTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nearcube-launcher-"))
        self.folder.chmod(0o755)
        self.addCleanup(self.remove)
        self.checkout = Checkout(self.folder / "checkout")

    def remove(self):
        self.protect(False)
        shutil.rmtree(self.folder)

    def protect(self, on):
        """Makes the checkout one that cannot be written by whoever runs the launcher."""
        for path in [self.checkout.path, *self.checkout.path.rglob("*")]:
            if not path.is_symlink():
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(mode & ~0o222 if on else mode | 0o200)

    def unprivileged(self):
        """Root may write everywhere."""
        return NOBODY if os.getuid() == 0 else None

    def test_help_needs_no_build(self):
        for words in [[], ["demo"], ["run"], ["run", "conv2d"], ["info"]]:
            for option in ["--help", "-h"]:
                result = self.checkout.run(*words, option)
                self.assertEqual(result.returncode, 0, result.err)
                self.assertIn(" ".join(["usage: ./nearcube", *words]), result.out)
                self.assertIn("Example", result.out)
        for words in [["build"], ["test"]]:
            self.assertIn("usage: ./nearcube COMMAND", self.checkout.run(*words, "--help").out)
        self.assertEqual(self.checkout.calls(), [])
        self.assertFalse((self.checkout.path / "build").exists())

    def test_no_command_or_an_unknown_one_is_refused_before_a_build(self):
        for words in [[], ["rnu"], ["demoo", "--help"], ["--versoin"]]:
            result = self.checkout.run(*words)
            self.assertEqual(result.returncode, 2)
            self.assertIn("usage: ./nearcube", result.err)
        self.assertEqual(self.checkout.calls(), [])

    def test_every_run_brings_the_program_up_to_date(self):
        for builds in [1, 2]:
            result = self.checkout.run("run", "axpy")
            self.assertEqual(result.returncode, 0, result.err)
            self.assertEqual(sum(call.startswith("--build") for call in self.checkout.calls()), builds)
        self.assertEqual(sum(call.startswith("--preset") for call in self.checkout.calls()), 1)

    def test_the_program_gets_its_arguments_and_the_users_folder(self):
        elsewhere = self.folder / "else where"
        elsewhere.mkdir()
        arguments = ["run", "axpy", "--json", "a b.json", "it's", "$HOME", "*", ""]
        result = self.checkout.run(*arguments, cwd=elsewhere)
        self.assertEqual(result.out, "".join(f"<{word}>" for word in arguments) + f" in {elsewhere}\n")
        result = self.checkout.run("demo", "--png", "a b.png", cwd=elsewhere)
        self.assertEqual(result.out, f"<demo><--png><a b.png> in {elsewhere}\n")

    def test_paths_with_spaces_and_symbolic_links(self):
        spaced = Checkout(self.folder / "a checkout (2)")
        result = spaced.run("info")
        self.assertEqual(result.returncode, 2)
        self.assertIn("NEARCUBE_BUILD=DIR ./nearcube ... builds elsewhere", result.err)
        self.assertEqual(spaced.calls(), [])
        elsewhere = spaced.environment(NEARCUBE_BUILD=str(self.folder / "elsewhere"))
        linked = self.folder / "linked"
        linked.symlink_to(spaced.path)
        launcher = self.folder / "launcher"
        launcher.symlink_to(linked / "nearcube")
        for settings in [{}, {"launcher": linked / "nearcube", "cwd": linked}, {"launcher": launcher}]:
            result = spaced.run("info", environment=elsewhere, **settings)
            self.assertEqual(result.returncode, 0, result.err)
        # One checkout, one configuration, by whatever name it was reached.
        self.assertEqual(sum(call.startswith("--preset") for call in spaced.calls()), 1)

    def test_a_moved_checkout_is_configured_anew(self):
        self.assertEqual(self.checkout.run("info").returncode, 0)
        moved = self.folder / "moved"
        self.checkout.path.rename(moved)
        self.checkout.path = moved
        self.assertEqual(self.checkout.run("info").returncode, 0)
        self.assertIn("--fresh", [call for call in self.checkout.calls() if call.startswith("--preset")][-1])

    def test_bare_environments(self):
        for environment in [{}, {"HOME": "/nonexistent"}, {"LANG": "C"}, {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}]:
            result = self.checkout.run("info", environment=self.checkout.environment(**environment))
            self.assertEqual((result.returncode, result.out), (0, f"<info> in {self.checkout.path}\n"), result.err)

    def test_two_at_once_build_one_after_the_other(self):
        processes = [self.checkout.start("run", str(i)) for i in range(3)]
        results = [process.communicate(timeout=60) for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0, 0], results)
        self.assertIn("waiting for another build", "".join(err for _, err in results))

    def test_a_failed_build_is_shown_in_full_and_runs_nothing(self):
        (self.checkout.tools / "fails").touch()
        result = self.checkout.run("run", "axpy")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.out, "")
        for line in ["FAILED: c.cpp.o", "c.cpp:1:2: error: what it says"]:
            self.assertIn(line + "\n", result.err)
        self.assertNotIn("\001", result.err)

    def test_a_build_says_little_and_a_current_one_nothing(self):
        self.assertNotIn("Configuring", self.checkout.run("info").err)
        self.checkout.script(self.checkout.tools / "cmake", "#!/bin/sh\necho 'ninja: no work to do.'\n")
        self.assertEqual(self.checkout.run("info").err, "")

    def test_a_checkout_that_cannot_be_written(self):
        user = self.unprivileged()
        self.protect(True)
        result = self.checkout.run("info", user=user)
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot be written; NEARCUBE_BUILD=DIR", result.err)
        self.checkout.tools.chmod(0o777)
        other = self.folder / "other"
        other.mkdir()
        other.chmod(0o777)
        environment = self.checkout.environment(NEARCUBE_BUILD=str(other))
        result = self.checkout.run("info", user=user, environment=environment)
        self.assertEqual(result.returncode, 0, result.err)
        # Built by somebody who may: it runs, and says that it did not look.
        self.protect(False)
        (self.checkout.path / "build").mkdir()
        shutil.copytree(other / "bin", self.checkout.path / "build/bin")
        self.protect(True)
        result = self.checkout.run("info", user=user)
        self.assertEqual(result.returncode, 0, result.err)
        self.assertIn("without a look at the sources", result.err)

    def test_setup_without_root_says_what_to_run(self):
        user = self.unprivileged()
        for name in ["setup.sh", "packages-base.txt", "packages-dev.txt"]:
            shutil.copy(ROOT / "scripts" / name, self.checkout.path / "scripts" / name)
        for name, text in {"dpkg-query": "exit 1", "sudo": "exit 1", "apt-get": "echo called; exit 9"}.items():
            self.checkout.script(self.checkout.tools / name, f"#!/bin/sh\n{text}\n")
        for path in [self.checkout.path, *self.checkout.path.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o055)
        result = self.checkout.run("demo", user=user)
        self.assertEqual(result.returncode, 2)
        self.assertIn("  verilator\n", result.err)
        self.assertIn("run 'sudo scripts/setup.sh'", result.err)
        self.assertEqual(self.checkout.calls(), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
