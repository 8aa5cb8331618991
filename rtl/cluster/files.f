dma.sv
cluster.sv
