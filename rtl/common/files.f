nearcube_regs_pkg.sv
tcdm_pkg.sv
ntx_pkg.sv
