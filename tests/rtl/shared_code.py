#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that Verilator made one copy of the NTX's code for all units: the folders of generated C++ hold functions for
unit 0 and none for another unit alone. What breaks it is said in sim/rtl/share.vlt."""
import pathlib
import re
import sys

UNIT = re.compile(r"^(?:VL_INLINE_OPT )?void (\w*gen_ntx__BRA__(\d+)__KET__\w*)\([^;]*$", re.M)

for folder in sys.argv[1:]:
    units = {}
    for path in sorted(pathlib.Path(folder).glob("*.cpp")):
        if "Slow" not in path.name and "Trace" not in path.name:
            for name, unit in UNIT.findall(path.read_text()):
                units.setdefault(int(unit), []).append(name)
    print(f"{folder}: functions by unit: { {unit: len(names) for unit, names in sorted(units.items())} }")
    if list(units) != [0]:
        sys.exit("expected functions of unit 0 only: the code of equal units is not shared")
