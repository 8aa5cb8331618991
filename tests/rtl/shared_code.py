#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that Verilator made one copy of the NTX's code for all units: the folders of generated C++ hold functions for
unit 0 and none for another unit alone. What breaks it is said in sim/rtl/share.vlt."""
import pathlib
import re
import sys

UNIT = re.compile(r"^(?:VL_INLINE_OPT )?void (\w*gen_ntx__BRA__(\d+)__KET__\w*)\([^;]*$", re.M)

for folder in sys.argv[1:]:
    # Verilator leaves the files of earlier runs behind; its makefile names the present ones.
    folder = pathlib.Path(folder)
    makefile = next(folder.glob("V*_classes.mk")).read_text()
    fast = re.search(r"^VM_CLASSES_FAST \+= \\\n((?:\t.*\n)*)", makefile, re.M).group(1)
    units = {}
    for source in re.findall(r"^\t(\w+)", fast, re.M):
        for name, unit in UNIT.findall((folder / f"{source}.cpp").read_text()):
            units.setdefault(int(unit), []).append(name)
    print(f"{folder}: functions by unit: { {unit: len(names) for unit, names in sorted(units.items())} }")
    if list(units) != [0]:
        sys.exit("expected functions of unit 0 only: the code of equal units is not shared")
