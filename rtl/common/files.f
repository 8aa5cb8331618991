nearcube_regs_pkg.sv
tcdm_pkg.sv
ntx_pkg.sv
fifo.sv
spill_register.sv
rr_arbiter.sv
