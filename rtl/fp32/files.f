exact_mac_pkg.sv
exact_mac.sv
fp32_compare.sv
