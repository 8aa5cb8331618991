cluster.sv
