// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the DMA engine tell one another.
package dma_pkg;

  /// Transfers that may be outstanding; each holds one slot until it is complete.
  localparam int unsigned Slots = 8;
  localparam int unsigned SlotWidth = 3;

  /// A transfer as the shape registers describe it.
  typedef struct packed {
    logic [63:0] src;       // of a fill: the pattern
    logic [63:0] dst;
    logic [31:0] bytes;
    logic [31:0] src_stride1;
    logic [31:0] dst_stride1;
    logic [31:0] count1;
    logic [31:0] src_stride2;
    logic [31:0] dst_stride2;
    logic [31:0] count2;
    logic        fill;      // write a pattern instead of copying
    logic        src_tcdm;  // the source begins in the scratchpad
  } shape_t;
  localparam int unsigned ShapeWidth = 64 * 2 + 32 * 7 + 2;

  /// An access that went wrong; stops the transfer in this slot.
  typedef struct packed {
    logic                 valid;
    logic [SlotWidth-1:0] slot;
    logic [2:0]           cause;  // as register error_cause
    logic [63:0]          addr;
  } fault_t;

  /// Offset bits of an address in the scratchpad: signed, and wide enough for any place in it plus any stride.
  localparam int unsigned OffsetWidth = 33;

  // A design of this room without the DMA still reads this package, and lint takes unread numbers for forgotten.
  localparam logic unused = &{Slots[0], SlotWidth[0], ShapeWidth[0], OffsetWidth[0]};

  /// The byte lanes of an aligned eight-byte word that `bytes` (1 to 8) bytes from lane `first` on occupy.
  function logic [7:0] lanes(input logic [2:0] first, input logic [3:0] bytes);
    lanes = (~(8'hFF << bytes)) << first;
  endfunction

  /// `mask` with every lane moved up by `by`, modulo eight.
  function logic [7:0] rotate_mask(input logic [7:0] mask, input logic [2:0] by);
    rotate_mask = (mask << by) | (mask >> (4'd8 - {1'b0, by}));
  endfunction

  /// `data` with every byte moved up by `by` lanes, modulo eight.
  function logic [63:0] rotate_data(input logic [63:0] data, input logic [2:0] by);
    rotate_data = (data << {by, 3'd0}) | (data >> (7'd64 - {1'b0, by, 3'd0}));
  endfunction

endpackage
