exact_mac_pkg.sv
multiply24.sv
exact_mac.sv
fp32_compare.sv
