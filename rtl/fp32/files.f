exact_mac_pkg.sv
multiply24.sv
late_carry_adder.sv
exact_mac.sv
fp32_compare.sv
