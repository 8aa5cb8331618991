// SPDX-License-Identifier: Apache-2.0
//
// Exact multiply-accumulate for binary32: a step adds a product, or a product and an init operand,
// to a fixed-point register that holds the exact sum, and a step with store_i rounds that sum once,
// to nearest even. So a one-product sum is IEEE 754 multiply, a product plus an init operand is
// fused multiply-add, and a long sum is correctly rounded whatever its order. Subnormals,
// infinities, NaN (out: 0x7FC00000) and signed zeros follow IEEE 754-2019; an exact zero is +0
// unless every summand was -0.
//
// The register has AccSegments segments of 32 bits in two's complement, its least significant bit
// weighs 2^AccLsb. If AccLsb is above -298, each summand is first rounded down (floor) to a
// multiple of 2^AccLsb. A sum that leaves the range sets a sticky flag, and rounds to NaN from then
// on.
//
// Throughput one step and one result every cycle, without exception: nothing ever stalls, so a
// result must be taken in its cycle. Latency: exact_mac_pkg::Latency cycles, constant.
//
// Images. The unrounded sum is AccSegments + 1 words: the segments, least significant first, and
// flags_t. Equal sums give equal words. They move two words a cycle, in order, words i and i + 1
// with index i = 0, 2, ... AccSegments - 1 (the last pair holds the top segment and the flags),
// only while busy_o is low before the first pair; steps may follow in the cycle after the last pair
// of a load, and a wide store when busy_o is low again.
// - wide_load_i with wide_add_i low: the image replaces the accumulator (pair 0 clears it). With
//   wide_add_i high it is added to it, exactly, with all rules for flags and range: sum of two
//   images = load one, add the other. All pairs of an image, 0 first, cycles without a pair in
//   between are allowed, steps are not.
// - wide_store_i reads a pair; wide_data_o has it in the next cycle. Stores change nothing and need
//   no order.
//
// How it works. There are no saved carries. Three 32-bit adders, one for all segments with the same
// index modulo 3, take the aligned product's 96 bits. What the third carries out goes to the first
// segment above that is not all ones (for a borrow: not all zeros), where a +/-1 unit adds it; the
// segments in between flip. Two flag bits a segment, "zero" and "ones", say where that is. They
// also override the segment's data, so a flip, and clearing the accumulator, touch flags only.
//
// A stage computes only when it holds something (NC_LAZY): a faster simulation.
//
// 1 multiply | 2 align | 3 accumulate | 4 select | 5 normalize | 6 round
//
// Reset and clear_i empty the pipeline and leave the accumulator an empty sum.

`include "assertions.svh"
`include "lazy.svh"

module exact_mac #(
  /// Weight of the accumulator's least significant bit is 2^AccLsb; -298 (every product exact) to
  /// -150.
  parameter int AccLsb = -298,
  /// 32-bit segments; odd, and 2^128 must be in range: AccLsb + 32 AccSegments > 129.
  parameter int unsigned AccSegments = 19
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Soft clear: as reset. Drops every step and result in the pipeline, also a step in this cycle.
  input  logic        clear_i,

  /// A step.
  input  logic        valid_i,
  /// The step has a product; else it only starts from the init operand, or only stores what there
  /// is.
  input  logic        summand_i,
  /// Factors, binary32.
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  /// The product is subtracted.
  input  logic        negate_i,
  /// exact_mac_pkg::Init*: what the product is added to.
  input  logic [1:0]  init_i,
  /// With InitValue: the binary32 init operand, and whether its sign is inverted.
  input  logic [31:0] init_value_i,
  input  logic        init_negate_i,
  /// A result leaves after this step (accumulation may go on).
  input  logic        store_i,
  /// With store_i: negative results and -0 become +0; NaN stays.
  input  logic        relu_i,

  /// A result, exact_mac_pkg::Latency cycles after its step; it is there for this cycle only.
  output logic        result_valid_o,
  output logic [31:0] result_o,

  /// A pair of image words arrives; wide_index_i is the number of the first, which is
  /// wide_data_i[31:0].
  input  logic        wide_load_i,
  input  logic        wide_add_i,
  /// The image is negated: its integer, and its infinities' signs. It then never counts as a sum of
  /// -0 only.
  input  logic        wide_negate_i,
  input  logic [4:0]  wide_index_i,
  input  logic [63:0] wide_data_i,
  /// Read the pair of image words that begins at wide_store_index_i.
  input  logic        wide_store_i,
  input  logic [4:0]  wide_store_index_i,
  /// That pair, one cycle later, for this cycle only.
  output logic [63:0] wide_data_o,

  /// A step or a pair is on its way to the accumulator, or a sum to the rounder: no image may move.
  output logic        busy_o
);

  localparam int N = 32'(AccSegments);

  // A product's least significant bit weighs 2^(ea + eb - 300) with ea, eb >= 1. Segments below the
  // accumulator (Pad of them) are counted in positions, but do not exist: they read as zero and are
  // not written, which rounds down.
  localparam int          Lost       = AccLsb + 298;
  localparam int          Pad        = (Lost + 31) / 32;
  localparam logic [9:0]  PosBias    = 10'(32 * Pad - Lost - 2);
  localparam int          MaxStart   = (506 - Lost + 32 * Pad) / 32;
  // The highest window that fits, and whether a product can lie above it.
  localparam int          TopStart   = N + Pad - 3;
  localparam bit          CanExceed  = MaxStart > TopStart;
  localparam int          StartBits  = (CanExceed ? MaxStart : TopStart) + 1;
  // An init operand's least significant bit weighs 2^(e - 150).
  localparam logic [9:0]  InitBias   = 10'(-150 - AccLsb);

  // Read-out: segments with the bits for 2^-126 (no rounding happens left of it) and 2^127.
  localparam int          MinBit     = -126 - AccLsb;
  localparam int          LowSegment = MinBit / 32;
  localparam int          TopSegment = (127 - AccLsb) / 32;
  // Biased exponent of a leading bit in bit 0 of segment 0 (negative, so modulo 2^10).
  localparam logic [9:0]  ExpBias    = 10'(AccLsb + 127);

  typedef logic [N-1:0] segments_t;

  // Segments that adder c serves.
  function automatic logic [N-1:0] class_mask(input integer c);
    integer i;
    class_mask = '0;
    for (i = 0; i < N; i = i + 1) begin
      if ((i + Pad) % 3 == c) class_mask[i] = 1'b1;
    end
  endfunction
  localparam segments_t Class0 = class_mask(0);
  localparam segments_t Class1 = class_mask(1);
  localparam segments_t Class2 = class_mask(2);

  // Bits up to and including the lowest that is 0: those that change when 1 is added to a word that begins so.
  // (Simulation adds, and inline: a function's variables would keep the units' code from being shared.)
`ifdef YOSYS
  function automatic logic [31:0] up_to_first_zero(logic [30:0] x);
    integer level, i;
    // Bit i: bits i - 1 to 0 of x are all ones.
    up_to_first_zero = {x, 1'b1};
    for (level = 0; level < 5; level = level + 1) begin
      for (i = 0; i < 32; i = i + 1) begin
        if (((i >> level) & 1) == 1) begin
          up_to_first_zero[i] = up_to_first_zero[i] & up_to_first_zero[((i>>level)<<level)-1];
        end
      end
    end
  endfunction
`endif

  if (exact_mac_pkg::Latency != 6 || AccLsb < -298 || AccLsb > -150 || N % 2 == 0 || N > 31
      || AccLsb + 32 * N < 130) begin : g_check
    $error("exact_mac: Latency, AccLsb or AccSegments out of range");
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 1 Multiply, exponents, special operands; two's complement of the init operand
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic a_zero, b_zero, a_max, b_max, a_nan, b_nan, a_frac, b_frac;
  logic product_sign, product_nan, product_inf, init_sign, init_max, init_frac;
  logic [23:0] a_mant, b_mant, init_mant;
  logic [9:0]  product_pos;
  exact_mac_pkg::flags_t product_flags, init_flags;

  always_comb begin
    a_frac       = a_i[22:0] != '0;
    b_frac       = b_i[22:0] != '0;
    init_frac    = init_value_i[22:0] != '0;
    a_max        = a_i[30:23] == 8'hFF;
    b_max        = b_i[30:23] == 8'hFF;
    init_max     = init_value_i[30:23] == 8'hFF;
    a_mant       = {a_i[30:23] != '0, a_i[22:0]};
    b_mant       = {b_i[30:23] != '0, b_i[22:0]};
    init_mant    = {init_value_i[30:23] != '0, init_value_i[22:0]};
    a_zero       = !a_mant[23] && !a_frac;
    b_zero       = !b_mant[23] && !b_frac;
    a_nan        = a_max && a_frac;
    b_nan        = b_max && b_frac;
    product_sign = a_i[31] ^ b_i[31] ^ negate_i;
    product_nan  = a_nan || b_nan || (a_max && b_zero) || (b_max && a_zero);
    product_inf  = (a_max || b_max) && !product_nan;
    init_sign    = init_value_i[31] ^ init_negate_i;
    // A subnormal has the exponent of the smallest normal number.
    product_pos  = {2'b0, a_i[30:24], a_i[23] || !a_mant[23]}
                   + {2'b0, b_i[30:24], b_i[23] || !b_mant[23]} + PosBias;

    product_flags                = '0;
    product_flags.not_minus_zero = !product_sign || !(a_zero || b_zero) || product_nan;
    product_flags.any_summand    = 1'b1;
    product_flags.nan            = product_nan;
    product_flags.minus_inf      = product_inf && product_sign;
    product_flags.plus_inf       = product_inf && !product_sign;
    if (!summand_i) product_flags = '0;

    init_flags = '0;
    if (init_i == exact_mac_pkg::InitValue) begin
      init_flags.not_minus_zero = !init_sign || init_mant[23] || init_frac;
      init_flags.any_summand    = 1'b1;
      init_flags.nan            = init_max && init_frac;
      init_flags.minus_inf      = init_max && !init_frac && init_sign;
      init_flags.plus_inf       = init_max && !init_frac && !init_sign;
    end
  end

  logic [47:0] product_sum, product_carry;
  multiply24 i_multiply (
    .a_i      (a_mant),
    .b_i      (b_mant),
    .negate_i (product_sign),
    .sum_o    (product_sum),
    .carry_o  (product_carry)
  );

  logic        s1_valid_q, s1_store_q, s1_relu_q, s1_init_q, s1_init_value_q, s1_negate_q;
  logic        s1_finite_q;
  logic [47:0] s1_sum_q, s1_carry_q;
  logic [9:0]  s1_pos_q, s1_init_pos_q;
  logic [24:0] s1_init_mant_q;
  exact_mac_pkg::flags_t s1_flags_q;

  always_ff @(posedge clk_i) begin
    s1_valid_q <= valid_i && rst_ni && !clear_i;
    `NC_LAZY(valid_i) begin
      s1_store_q  <= store_i;
      s1_relu_q   <= relu_i;
      s1_init_q   <= init_i != exact_mac_pkg::InitNone;
      s1_negate_q <= product_sign && !a_zero && !b_zero;
      s1_finite_q <= summand_i && !a_max && !b_max;
      s1_sum_q    <= product_sum;
      s1_carry_q  <= product_carry;
      s1_pos_q    <= product_pos;
      s1_flags_q  <= product_flags | init_flags;
      s1_init_value_q <= init_i == exact_mac_pkg::InitValue && !init_max;
      `NC_LAZY(init_i == exact_mac_pkg::InitValue) begin
        s1_init_mant_q <= init_sign ? 25'b0 - {1'b0, init_mant} : {1'b0, init_mant};
        s1_init_pos_q  <= {2'b0, init_value_i[30:24], init_value_i[23] || !init_mant[23]}
                          + InitBias;
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 2 Align: the product over three segments, the init operand over two, each word sent to its
  // adder's place
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Pairs of an image take the product's way. The last pair's one word is the third of the highest
  // window.
  logic wide_last;
  assign wide_last = wide_index_i == 5'(N - 1);

  logic        enters, live;
  assign enters = (s1_valid_q || wide_load_i) && rst_ni && !clear_i;
  assign live   = enters && (s1_finite_q || wide_load_i);

  logic [47:0] product;
  logic [63:0] shifted;
  logic [31:0] sign_word, word0, word1, word2;
  logic [4:0]  start_index;
  logic [2:0]  exceed;
  logic        beyond;
  logic [StartBits+2:0] start, window, above;
  logic [2:0]  first;
  logic [31:0] operand0, operand1, operand2;

  always_comb begin
    product     = '0;
    shifted     = '0;
    sign_word   = '0;
    word0       = '0;
    word1       = '0;
    word2       = '0;
    start_index = '0;
    exceed      = '0;
    beyond      = '0;
    start       = '0;
    window      = '0;
    above       = '0;
    first       = '0;
    operand0    = '0;
    operand1    = '0;
    operand2    = '0;
    `NC_LAZY(s1_valid_q || wide_load_i) begin
      product     = s1_sum_q + s1_carry_q;
      sign_word   = {32{s1_negate_q}};
      shifted     = {sign_word[15:0], product} << s1_pos_q[4:0];
      word0       = shifted[31:0];
      word1       = shifted[63:32];
      word2       = 32'(({sign_word, sign_word[15:0], product[47:32]} << s1_pos_q[4:0]) >> 32);
      start_index = s1_pos_q[9:5];
      exceed      = '0;
      beyond      = 1'b0;
      if (CanExceed && start_index > 5'(TopStart)) begin
        // Words above the accumulator are out of range unless they are signs.
        exceed = (start_index - 5'(TopStart) > 5'd2) ? 3'd3 : 3'(start_index - 5'(TopStart));
        case (exceed)
          3'd1: begin
            beyond = word2 != sign_word;
            word2  = word1;
            word1  = word0;
          end
          3'd2: begin
            beyond = word2 != sign_word || word1 != sign_word;
            word2  = word0;
            word1  = '0;
          end
          default: begin
            beyond = product != '0;
            word2  = '0;
            word1  = '0;
          end
        endcase
        word0       = '0;
        start_index = 5'(TopStart);
      end
      if (wide_load_i) begin
        word0       = wide_last ? '0 : wide_data_i[31:0] ^ {32{wide_negate_i}};
        word1       = wide_last ? '0 : wide_data_i[63:32] ^ {32{wide_negate_i}};
        word2       = wide_last ? wide_data_i[31:0] ^ {32{wide_negate_i}} : '0;
        start_index = wide_last ? 5'(TopStart) : wide_index_i + 5'(Pad);
        beyond      = 1'b0;
      end

      start  = (StartBits + 3)'(1) << start_index;
      window = start | (start << 1) | (start << 2);
      above  = {{StartBits{1'b1}}, 3'b000} << start_index;
      first  = '0;
      for (int i = 0; i < StartBits; i++) first[i % 3] = first[i % 3] | start[i];

      operand0 = ({32{first[0]}} & word0) | ({32{first[2]}} & word1) | ({32{first[1]}} & word2);
      operand1 = ({32{first[1]}} & word0) | ({32{first[0]}} & word1) | ({32{first[2]}} & word2);
      operand2 = ({32{first[2]}} & word0) | ({32{first[1]}} & word1) | ({32{first[0]}} & word2);
    end
  end

  logic [63:0] init_shifted;
  logic        init_w0_zero, init_w1_zero, init_w0_ones, init_w1_ones, init_fill;
  logic [4:0]  init_index;
  logic [N:0]  init_start;
  segments_t   init_below, init_above, init_zero, init_ones;
  logic [2:0]  init_first;

  always_comb begin
    init_fill    = '0;
    init_shifted = '0;
    init_index   = '0;
    init_start   = '0;
    init_w0_zero = '0;
    init_w1_zero = '0;
    init_w0_ones = '0;
    init_w1_ones = '0;
    init_below   = '0;
    init_above   = '0;
    init_zero    = '0;
    init_ones    = '0;
    init_first   = '0;
    `NC_LAZY(s1_init_value_q) begin
      init_fill    = s1_init_mant_q[24];
      init_shifted = {{39{init_fill}}, s1_init_mant_q} << s1_init_pos_q[4:0];
      init_index   = s1_init_pos_q[9:5];
      init_start   = (N + 1)'(1) << init_index;
      init_w0_zero = init_shifted[31:0] == '0;
      init_w1_zero = init_shifted[63:32] == '0;
      init_w0_ones = init_shifted[31:0] == '1;
      init_w1_ones = init_shifted[63:32] == '1;
      init_below   = ~({N{1'b1}} << init_index);
      init_above   = {{(N-2){1'b1}}, 2'b00} << init_index;
      init_zero    = init_below | (init_fill ? '0 : init_above)
                     | (init_w0_zero ? N'(init_start) : '0)
                     | (init_w1_zero ? N'(init_start << 1) : '0);
      init_ones    = (init_fill ? init_above : '0)
                     | (init_w0_ones ? N'(init_start) : '0)
                     | (init_w1_ones ? N'(init_start << 1) : '0);
      init_first   = '0;
      for (int i = 0; i < N; i++) begin
        init_first[(i + Pad) % 3] = init_first[(i + Pad) % 3] | init_start[i];
      end
    end
  end

  exact_mac_pkg::flags_t image_flags_in;
  always_comb begin
    image_flags_in = wide_data_i[37:32];
    if (wide_negate_i) begin
      image_flags_in.not_minus_zero = wide_data_i[36] | wide_data_i[35];
      image_flags_in.minus_inf      = wide_data_i[32];
      image_flags_in.plus_inf       = wide_data_i[33];
    end
  end

  logic        s2_valid_q, s2_store_q, s2_relu_q, s2_init_q, s2_live_q, s2_negate_q, s2_beyond_q;
  logic        s2_init_sign_q, s2_upper_q, s2_plus_one_q, s2_wide_q, s2_wide_last_q;
  logic [2:0]  s2_first_q;
  logic [31:0] s2_operand0_q, s2_operand1_q, s2_operand2_q, s2_init0_q, s2_init1_q, s2_init2_q;
  segments_t   s2_window_q, s2_above_q, s2_init_zero_q, s2_init_ones_q;
  exact_mac_pkg::flags_t s2_flags_q;

  // With nothing in the stage these say so, and the accumulator stays as it is: live, window, init,
  // flags.
  always_ff @(posedge clk_i) begin
    s2_valid_q <= enters;
    `NC_LAZY(enters) begin
      s2_store_q     <= s1_store_q && !wide_load_i;
      s2_relu_q      <= s1_relu_q;
      s2_init_q      <= enters && (wide_load_i ? (wide_index_i == '0 && !wide_add_i) : s1_init_q);
      s2_live_q      <= live;
      s2_negate_q    <= s1_negate_q && !wide_load_i;
      s2_beyond_q    <= beyond;
      s2_upper_q     <= wide_load_i ? wide_last && (wide_data_i[31] ^ wide_negate_i) : s1_negate_q;
      // An image's negative: its complement, and 1.
      s2_plus_one_q  <= wide_load_i && wide_negate_i && wide_index_i == '0;
      s2_wide_q      <= wide_load_i;
      s2_wide_last_q <= wide_last;
      s2_first_q     <= first;
      s2_operand0_q  <= operand0;
      s2_operand1_q  <= operand1;
      s2_operand2_q  <= operand2;
      s2_window_q    <= live ? N'(window >> Pad) : '0;
      s2_above_q     <= N'(above >> Pad);
      s2_flags_q     <= !enters ? '0 : !wide_load_i ? s1_flags_q : wide_last ? image_flags_in : '0;
      if (s1_init_value_q && !wide_load_i) begin
        s2_init_zero_q <= init_zero;
        s2_init_ones_q <= init_ones;
        s2_init_sign_q <= init_fill;
      end else begin
        s2_init_zero_q <= '1;
        s2_init_ones_q <= '0;
        s2_init_sign_q <= 1'b0;
      end
      `NC_LAZY(s1_init_q) begin
        s2_init0_q <= init_first[0] ? init_shifted[31:0] : init_shifted[63:32];
        s2_init1_q <= init_first[1] ? init_shifted[31:0] : init_shifted[63:32];
        s2_init2_q <= init_first[2] ? init_shifted[31:0] : init_shifted[63:32];
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 3 Accumulate
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Segment i is 0 if zero_q[i], all ones if ones_q[i], else data_q[i]; the flags are exact.
  (* mem2reg *) logic [31:0] data_q [N];
  segments_t   zero_q, ones_q;
  exact_mac_pkg::flags_t flags_q;

  segments_t   zero_old, ones_old, read;
  logic [31:0] old0, old1, old2, new0, new1, new2;
  logic [2:0]  generates, propagates, carry_in, is_zero, is_ones;
  logic        carry_out, carry;
  segments_t   stops, stops_negated, target, flips, target_read, target_write, init_write;
  logic [31:0] spare0, spare1, spare2;
  logic [31:0] target_old, target_new;
  logic        target_near;
  segments_t   zero_d, ones_d, keep;

  // What the window holds now, and the first segment above it that stops a carry or borrow.
  always_comb begin
    zero_old      = '0;
    ones_old      = '0;
    read          = '0;
    old0          = '0;
    old1          = '0;
    old2          = '0;
    stops         = '0;
    stops_negated = '0;
    target        = '0;
    flips         = '0;
    target_read   = '0;
    target_old    = '0;
    target_new    = '0;
    target_near   = '0;
    `NC_LAZY(s2_valid_q) begin
      zero_old      = s2_init_q ? s2_init_zero_q : zero_q;
      ones_old      = s2_init_q ? s2_init_ones_q : ones_q;
      stops         = s2_above_q & ~(s2_negate_q ? zero_old : ones_old);
      stops_negated = -stops;
      target        = stops & stops_negated;
      flips         = s2_above_q & ~(stops | stops_negated);
      read          = s2_window_q & ~zero_old;
      target_read   = target & ~zero_old;
      old0          = {32{(read & ones_old & Class0) != '0}};
      old1          = {32{(read & ones_old & Class1) != '0}};
      old2          = {32{(read & ones_old & Class2) != '0}};
      target_old    = {32{(target & ones_old) != '0}};
      if (s2_init_q) begin
        old0       = old0 | ({32{(read & Class0) != '0}} & s2_init0_q);
        old1       = old1 | ({32{(read & Class1) != '0}} & s2_init1_q);
        old2       = old2 | ({32{(read & Class2) != '0}} & s2_init2_q);
        target_old = target_old | ({32{(target_read & Class0) != '0}} & s2_init0_q)
                     | ({32{(target_read & Class1) != '0}} & s2_init1_q)
                     | ({32{(target_read & Class2) != '0}} & s2_init2_q);
      end else begin
        for (int i = 0; i < N; i++) begin
          case ((i + Pad) % 3)
            0:       old0 = old0 | ({32{read[i]}} & data_q[i]);
            1:       old1 = old1 | ({32{read[i]}} & data_q[i]);
            default: old2 = old2 | ({32{read[i]}} & data_q[i]);
          endcase
          target_old = target_old | ({32{target_read[i]}} & data_q[i]);
        end
      end
      // The target plus or minus one: both change the bits up to the first that stops the carry.
`ifdef YOSYS
      target_new  = target_old ^ up_to_first_zero(target_old[30:0] ^ {31{s2_negate_q}});
`else
      target_new  = target_old ^ {1'b0, target_old[30:0] ^ {31{s2_negate_q}}}
                    ^ ({1'b0, target_old[30:0] ^ {31{s2_negate_q}}} + 32'd1);
`endif
      target_near = s2_negate_q ? target_old == 32'd1 : target_old == 32'hFFFF_FFFE;
    end
  end

  late_carry_adder i_add0 (
    .a_i          (old0),
    .b_i          (s2_operand0_q),
    .carry_i      (Pad % 3 == 0 && s2_plus_one_q),
    .late_carry_i (carry_in[0]),
    .generate_o   (generates[0]),
    .propagate_o  (propagates[0]),
    .sum_o        (new0)
  );
  late_carry_adder i_add1 (
    .a_i          (old1),
    .b_i          (s2_operand1_q),
    .carry_i      (Pad % 3 == 1 && s2_plus_one_q),
    .late_carry_i (carry_in[1]),
    .generate_o   (generates[1]),
    .propagate_o  (propagates[1]),
    .sum_o        (new1)
  );
  late_carry_adder i_add2 (
    .a_i          (old2),
    .b_i          (s2_operand2_q),
    .carry_i      (Pad % 3 == 2 && s2_plus_one_q),
    .late_carry_i (carry_in[2]),
    .generate_o   (generates[2]),
    .propagate_o  (propagates[2]),
    .sum_o        (new2)
  );

  // The carries from adder to adder, beginning at the window's first.
  always_comb begin
    carry_in[0] = !s2_first_q[0] && (generates[2] || (s2_first_q[1] && propagates[2] && generates[1]));
    carry_in[1] = !s2_first_q[1] && (generates[0] || (s2_first_q[2] && propagates[0] && generates[2]));
    carry_in[2] = !s2_first_q[2] && (generates[1] || (s2_first_q[0] && propagates[1] && generates[0]));
    carry_out   = (s2_first_q[0] && (generates[2] || (propagates[2] && (generates[1] || (propagates[1] && generates[0])))))
                  || (s2_first_q[1] && (generates[0] || (propagates[0] && (generates[2] || (propagates[2] && generates[1])))))
                  || (s2_first_q[2] && (generates[1] || (propagates[1] && (generates[0] || (propagates[0] && generates[2])))));
    // The operand's sign alone tells a carry from a borrow: a negative one borrows unless it
    // carries.
    carry       = s2_live_q && (carry_out ^ s2_negate_q);
  end

  always_comb begin
    is_zero      = '0;
    is_ones      = '0;
    target_write = '0;
    init_write   = '0;
    spare0       = '0;
    spare1       = '0;
    spare2       = '0;
    keep         = '0;
    zero_d       = '0;
    ones_d       = '0;
    `NC_LAZY(s2_valid_q) begin
      is_zero      = {new2 == '0, new1 == '0, new0 == '0};
      is_ones      = {new2 == '1, new1 == '1, new0 == '1};
      target_write = target & {N{carry}};

      // What is written outside the window: the target, and after an init those of its operand's
      // segments that the flags do not say all about. Of the segments of one adder at most one is
      // such: if the operand's segments and the window overlap, the target is the window's next,
      // and else it is one of the operand's.
      init_write = ~(s2_init_zero_q | s2_init_ones_q | s2_window_q) & {N{s2_init_q}};
      spare0     = (s2_init_q && (target_write & Class0) == '0) ? s2_init0_q : target_new;
      spare1     = (s2_init_q && (target_write & Class1) == '0) ? s2_init1_q : target_new;
      spare2     = (s2_init_q && (target_write & Class2) == '0) ? s2_init2_q : target_new;

      keep   = ~(s2_window_q | target_write | (flips & {N{carry}}));
      zero_d = (keep & zero_old)
               | (s2_window_q & ((Class0 & {N{is_zero[0]}}) | (Class1 & {N{is_zero[1]}})
                                | (Class2 & {N{is_zero[2]}})))
               | (target_write & {N{s2_negate_q && target_near}})
               | (flips & {N{carry && !s2_negate_q}});
      ones_d = (keep & ones_old)
               | (s2_window_q & ((Class0 & {N{is_ones[0]}}) | (Class1 & {N{is_ones[1]}})
                                | (Class2 & {N{is_ones[2]}})))
               | (target_write & {N{!s2_negate_q && target_near}})
               | (flips & {N{carry && s2_negate_q}});
    end
  end

  for (genvar i = 0; i < N; i++) begin : g_segment
    localparam int Adder = (i + Pad) % 3;
    always_ff @(posedge clk_i) begin
      `NC_LAZY(s2_valid_q) begin
        if (s2_window_q[i]) begin
          data_q[i] <= (Adder == 0) ? new0 : (Adder == 1) ? new1 : new2;
        end else if (target_write[i] || init_write[i]) begin
          data_q[i] <= (Adder == 0) ? spare0 : (Adder == 1) ? spare1 : spare2;
        end
      end
    end
  end

  // Range. Above the top segment the old sum has its sign, and the operand its own, in every bit;
  // with the carry that comes up there they must make the new sign. The check happens a cycle late,
  // when the new sign can be read. While an image is added its lower words, which are positive, may
  // leave the range and its top word return.
  logic sign, s3_check_q, s3_upper_sum_zero_q, s3_upper_sum_one_q, s3_beyond_q;
  logic s3_wide_q, s3_wide_last_q;
  logic range_overflow_q, wide_overflow_q, range_event, range_overflow;
  logic old_sign, upper_carry;
  logic s3_valid_q, s3_store_q, s3_relu_q;

  always_comb begin
    sign           = ones_q[N-1] | (~zero_q[N-1] & data_q[N-1][31]);
    old_sign       = s2_init_q ? s2_init_sign_q : sign;
    upper_carry    = s2_negate_q ^ (carry && stops == '0);
    // Sign bits count -1: 0 is good if the new sign is 0, -1 if it is 1, +1 and -2 never.
    range_event    = s3_check_q
                     && (s3_beyond_q || !(sign ? s3_upper_sum_one_q : s3_upper_sum_zero_q));
    range_overflow = range_overflow_q;
    if (!s3_wide_q) range_overflow = range_overflow_q | range_event;
    else if (s3_wide_last_q) range_overflow = range_overflow_q | (range_event ^ wide_overflow_q);
  end

  always_ff @(posedge clk_i) begin
    s3_valid_q <= s2_valid_q && rst_ni && !clear_i;
    if (!rst_ni || clear_i) begin
      zero_q           <= '1;
      ones_q           <= '0;
      flags_q          <= '0;
      s3_check_q       <= 1'b0;
      range_overflow_q <= 1'b0;
      wide_overflow_q  <= 1'b0;
      s3_wide_q        <= 1'b0;
      s3_wide_last_q   <= 1'b0;
    end else begin
      s3_check_q       <= s2_valid_q && s2_live_q;
      range_overflow_q <= range_overflow;
      if (s3_check_q) begin
        wide_overflow_q <= s3_wide_q && !s3_wide_last_q && (range_event ^ wide_overflow_q);
      end
      `NC_LAZY(s2_valid_q) begin
        zero_q           <= zero_d;
        ones_q           <= ones_d;
        flags_q          <= (s2_init_q ? '0 : flags_q) | s2_flags_q;
        range_overflow_q <= (range_overflow && !s2_init_q) || s2_flags_q.range_overflow;
        s3_wide_q        <= s2_wide_q;
        s3_wide_last_q   <= s2_wide_last_q;
      end
    end
    `NC_LAZY(s2_valid_q) begin
      s3_store_q          <= s2_store_q;
      s3_relu_q           <= s2_relu_q;
      s3_beyond_q         <= s2_beyond_q;
      s3_upper_sum_zero_q <= (old_sign ^ s2_upper_q) ? upper_carry : (!old_sign && !upper_carry);
      s3_upper_sum_one_q  <= (old_sign ^ s2_upper_q) ? !upper_carry : (old_sign && upper_carry);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 4 Select: the leading segment and the one below it, or a pair of image words. They are in
  // neighbouring adders' places, so each place is read once
  //////////////////////////////////////////////////////////////////////////////////////////////////

  localparam int        Leads    = TopSegment - LowSegment + 1;
  localparam segments_t BelowLow = N'((1 << LowSegment) - 1);

  logic        read_out, too_large, below_any, invert;
  segments_t   unlike_sign, lead, high_read, low_read, either_read;
  // Of the segments that may lead: this one or a higher one is unlike the sign; it leads.
  logic [Leads-1:0] reached, leading;
  logic [31:0] read0, read1, read2, high, low;
  exact_mac_pkg::flags_t image_flags;
  logic [4:0]  leading_index;

  assign read_out = s3_valid_q && s3_store_q;

  always_comb begin
    unlike_sign   = '0;
    too_large     = '0;
    reached       = '0;
    leading       = '0;
    lead          = '0;
    leading_index = '0;
    below_any     = '0;
    image_flags   = '0;
    high_read     = '0;
    low_read      = '0;
    either_read   = '0;
    read0         = '0;
    read1         = '0;
    read2         = '0;
    invert        = '0;
    high          = '0;
    low           = '0;
    `NC_LAZY(read_out || wide_store_i) begin
      unlike_sign = sign ? ~ones_q : ~zero_q;
      too_large   = (unlike_sign >> (TopSegment + 1)) != '0;
      // Small sums are read at the segment with 2^-126: so subnormals need no shift of their own.
      reached[Leads-1] = unlike_sign[TopSegment];
      for (int i = Leads - 2; i >= 0; i--) reached[i] = reached[i+1] | unlike_sign[LowSegment+i];
      reached[0]  = 1'b1;
      leading     = reached & ~(reached >> 1);
      for (int i = 0; i < Leads; i++) begin
        leading_index = leading_index | ({5{leading[i]}} & 5'(LowSegment + i));
      end
      lead        = N'(leading) << LowSegment;
      // Segments two and more below the leading one: a higher one than they is reached.
      below_any   = (~zero_q & (((N'(reached) << LowSegment) | BelowLow) >> 2)) != '0;

      image_flags                = flags_q;
      image_flags.range_overflow = range_overflow;

      low_read    = wide_store_i ? N'(1) << wide_store_index_i : lead >> 1;
      high_read   = wide_store_i ? low_read << 1 : lead;
      either_read = low_read | high_read;
      read0       = {32{(either_read & ones_q & Class0) != '0}};
      read1       = {32{(either_read & ones_q & Class1) != '0}};
      read2       = {32{(either_read & ones_q & Class2) != '0}};
      for (int i = 0; i < N; i++) begin
        case ((i + Pad) % 3)
          0:       read0 = read0 | ({32{either_read[i] && !zero_q[i]}} & data_q[i]);
          1:       read1 = read1 | ({32{either_read[i] && !zero_q[i]}} & data_q[i]);
          default: read2 = read2 | ({32{either_read[i] && !zero_q[i]}} & data_q[i]);
        endcase
      end
      // A negative sum is inverted: its magnitude, less 1.
      invert = sign && !wide_store_i;
      high   = (({32{(high_read & Class0) != '0}} & read0) | ({32{(high_read & Class1) != '0}} & read1)
                | ({32{(high_read & Class2) != '0}} & read2)) ^ {32{invert}};
      low    = (({32{(low_read & Class0) != '0}} & read0) | ({32{(low_read & Class1) != '0}} & read1)
                | ({32{(low_read & Class2) != '0}} & read2)) ^ {32{invert}};
      if (wide_store_i && wide_store_index_i == 5'(N - 1)) high = high | {26'b0, image_flags};
    end
  end

  logic        s4_valid_q, s4_relu_q, s4_sign_q, s4_nan_q, s4_inf_q, s4_sticky_q, s4_plus_one_q;
  logic [4:0]  s4_leading_q;
  logic [31:0] s4_high_q, s4_low_q;

  always_ff @(posedge clk_i) begin
    s4_valid_q <= read_out && rst_ni && !clear_i;
    `NC_LAZY(read_out || wide_store_i) begin
      s4_high_q <= high;
      s4_low_q  <= low;
    end
    `NC_LAZY(read_out) begin
      s4_relu_q     <= s3_relu_q;
      // The sum of nothing but -0 is the only negative zero. (Flags without a sum: an image may be
      // anything.)
      s4_sign_q     <= (flags_q.plus_inf || flags_q.minus_inf) ? flags_q.minus_inf
                       : sign || (&zero_q && flags_q.any_summand && !flags_q.not_minus_zero);
      s4_nan_q      <= flags_q.nan || range_overflow || (flags_q.plus_inf && flags_q.minus_inf);
      s4_inf_q      <= flags_q.plus_inf || flags_q.minus_inf || too_large;
      // Bits below make a negative number's magnitude end in a fraction, so that its integer part is
      // the complement without the 1.
      s4_sticky_q   <= below_any;
      s4_plus_one_q <= sign && !below_any;
      s4_leading_q  <= leading_index;
    end
  end

  assign wide_data_o = {s4_high_q, s4_low_q};
  assign busy_o      = s1_valid_q || s2_valid_q || read_out;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 5 Normalize, but not beyond 2^-126. With s4_plus_one_q the magnitude is 1 more, as if bits
  // without end followed that are all ones; it carries into the fraction if all bits between are
  // ones. The rounding's own carry does that
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        s5_valid_q, s5_relu_q, s5_sign_q, s5_nan_q, s5_inf_q, s5_round_q;
  logic [7:0]  s5_exponent_q;
  logic [22:0] s5_fraction_q;

  logic [31:0] seek32;
  logic [15:0] seek16;
  logic [7:0]  seek8;
  logic [3:0]  seek4;
  logic [1:0]  seek2;
  logic [4:0]  shift;
  logic [55:0] normal;
  logic [9:0]  exponent;
  logic        inexact;

  always_comb begin
    seek32   = '0;
    seek16   = '0;
    seek8    = '0;
    seek4    = '0;
    seek2    = '0;
    shift    = '0;
    normal   = '0;
    inexact  = '0;
    exponent = '0;
    `NC_LAZY(s4_valid_q) begin
      seek32 = s4_high_q;
      if (s4_leading_q == 5'(LowSegment)) seek32[MinBit % 32] = 1'b1;
      shift[4] = seek32[31:16] == '0;
      seek16   = shift[4] ? seek32[15:0] : seek32[31:16];
      shift[3] = seek16[15:8] == '0;
      seek8    = shift[3] ? seek16[7:0] : seek16[15:8];
      shift[2] = seek8[7:4] == '0;
      seek4    = shift[2] ? seek8[3:0] : seek8[7:4];
      shift[1] = seek4[3:2] == '0;
      seek2    = shift[1] ? seek4[1:0] : seek4[3:2];
      shift[0] = seek2 < 2'd2;
      normal   = {s4_high_q, s4_low_q[31:8]};
      if (shift[4]) normal = {normal[39:0], {16{s4_plus_one_q}}};
      if (shift[3]) normal = {normal[47:0], {8{s4_plus_one_q}}};
      if (shift[2]) normal = {normal[51:0], {4{s4_plus_one_q}}};
      if (shift[1]) normal = {normal[53:0], {2{s4_plus_one_q}}};
      if (shift[0]) normal = {normal[54:0], s4_plus_one_q};
      inexact  = s4_sticky_q || ({normal[30:0], s4_low_q[7:0]} ^ {39{s4_plus_one_q}}) != '0;
      exponent = {s4_leading_q, ~shift} + ExpBias;
    end
  end

  always_ff @(posedge clk_i) begin
    s5_valid_q <= s4_valid_q && rst_ni && !clear_i;
    `NC_LAZY(s4_valid_q) begin
      s5_relu_q     <= s4_relu_q;
      s5_sign_q     <= s4_sign_q;
      s5_nan_q      <= s4_nan_q;
      s5_inf_q      <= s4_inf_q || (normal[55] && exponent >= 10'd255);
      s5_exponent_q <= normal[55] ? exponent[7:0] : '0;
      s5_fraction_q <= normal[54:32];
      s5_round_q    <= inexact ? normal[31]
                       : s4_plus_one_q ? normal[31] || normal[32] : normal[31] && normal[32];
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // 6 Round to nearest even: a carry out of the fraction steps the exponent, from subnormal to
  // normal and on to infinity
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [30:0] rounded;
  assign rounded = {s5_exponent_q, s5_fraction_q} + 31'(s5_round_q);

  always_ff @(posedge clk_i) begin
    result_valid_o <= s5_valid_q && rst_ni && !clear_i;
    `NC_LAZY(s5_valid_q) begin
      if (s5_nan_q) result_o <= 32'h7FC0_0000;
      else if (s5_relu_q && s5_sign_q) result_o <= 32'h0;
      else if (s5_inf_q) result_o <= {s5_sign_q, 31'h7F80_0000};
      else result_o <= {s5_sign_q, rounded};
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What users promise, and what the flags promise
  //////////////////////////////////////////////////////////////////////////////////////////////////

  `NC_ASSERT(ExactMacNoStepWithImage, !(valid_i && (wide_load_i || wide_store_i)))
  `NC_ASSERT(ExactMacImageIsAligned, !wide_load_i || (!wide_index_i[0] && wide_index_i < 5'(N)))
  `NC_ASSERT(ExactMacNoStepBeforeImage, !(s1_valid_q && wide_load_i))
  `NC_ASSERT(ExactMacImageStoreWaits, !(busy_o && wide_store_i))
  `NC_ASSERT(ExactMacInitIsDefined, !valid_i || init_i != 2'd3)
  `NC_ASSERT(ExactMacOneSpareInClass0,
             ((target_write | init_write) & Class0
              & (((target_write | init_write) & Class0) - 1'b1)) == '0)
  `NC_ASSERT(ExactMacOneSpareInClass1,
             ((target_write | init_write) & Class1
              & (((target_write | init_write) & Class1) - 1'b1)) == '0)
  `NC_ASSERT(ExactMacOneSpareInClass2,
             ((target_write | init_write) & Class2
              & (((target_write | init_write) & Class2) - 1'b1)) == '0)
  `NC_ASSERT(ExactMacFlagsExclude, (zero_q & ones_q) == '0)

endmodule
