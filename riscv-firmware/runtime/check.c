// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#define LOADS (NC_FLAG_LOAD_INPUT | NC_FLAG_STORE_OUTPUT | NC_FLAG_SYNC)
#define WEIGHTS NC_FLAG_LOAD_WEIGHTS
#define WIDE (NC_FLAG_WIDE_IN | NC_FLAG_WIDE_OUT)

// Word numbers in a descriptor: addresses lie before the pitches, offsets in the TCDM behind them.
#define FIRST_PITCH (offsetof(nc_tile_descriptor_t, input_row_pitch) / 4)
#define FIRST_OFFSET (offsetof(nc_tile_descriptor_t, input_offset) / 4)
// Which has `ahead` and `barriers`; nc_check_moved looks at it.
#define LAST_WORD (offsetof(nc_tile_descriptor_t, ahead) / 4)

/// Words that a box takes in the TCDM from its first to its last, or 0 if rows or planes overlap.
static uint32_t box_words(uint32_t planes, uint32_t rows, uint32_t cols, uint32_t row_pitch,
                          uint32_t plane_pitch) {
  if (plane_pitch > NC_TCDM_SIZE / 4) return 0;
  if (rows > 1 && row_pitch < cols) return 0;
  const uint64_t plane = (uint64_t)(rows - 1) * row_pitch + cols;
  if (planes > 1 && plane_pitch < plane) return 0;
  const uint64_t words = (uint64_t)(planes - 1) * plane_pitch + plane;
  return words > NC_TCDM_SIZE / 4 ? 0 : (uint32_t)words;
}

static uint32_t flags_allowed(uint32_t kind) {
  switch (kind) {
    case NC_KIND_CONV2D:
      return LOADS | WEIGHTS | WIDE | NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT | NC_FLAG_RELU;
    case NC_KIND_GEMM:
    case NC_KIND_GEMV:
      return LOADS | WEIGHTS | WIDE | NC_FLAG_INIT_OUTPUT | NC_FLAG_RELU;
    case NC_KIND_AXPY:
      return LOADS | WEIGHTS | NC_FLAG_INIT_OUTPUT;
    case NC_KIND_STENCIL:
      return LOADS | WEIGHTS;
    default:
      return LOADS;
  }
}

static bool flags_good(const nc_tile_descriptor_t* t) {
  const uint32_t flags = t->flags;
  if ((flags & ~flags_allowed(t->kind)) != 0) return false;
  const uint32_t init = flags & (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT);
  if (init == (NC_FLAG_INIT_BIAS | NC_FLAG_INIT_OUTPUT)) return false;
  if ((flags & NC_FLAG_WIDE_IN) != 0 && init != 0) return false;
  if ((flags & NC_FLAG_WIDE_OUT) != 0 && (flags & (NC_FLAG_RELU | NC_FLAG_STORE_OUTPUT)) != 0) return false;
  return t->kind != NC_KIND_AXPY || init == NC_FLAG_INIT_OUTPUT;
}

/// A window of `kernel` that moves by `stride` stays within `extent` at all `count` places.
static bool fits(uint32_t extent, uint32_t count, uint32_t stride, uint32_t kernel) {
  return (uint64_t)(count - 1) * stride + kernel <= extent;
}

/// Extents that every kind shares: nothing is zero.
static bool extents_good(const nc_tile_descriptor_t* t) {
  return t->input_planes != 0 && t->input_rows != 0 && t->input_cols != 0 && t->output_planes != 0 &&
         t->output_rows != 0 && t->output_cols != 0 && t->kernel_planes != 0 && t->kernel_rows != 0 &&
         t->kernel_cols != 0 && t->stride_rows != 0 && t->stride_cols != 0;
}

static bool has_padding(const nc_tile_descriptor_t* t) {
  return (t->pad_front | t->pad_back | t->pad_top | t->pad_bottom | t->pad_left | t->pad_right) != 0;
}

static bool has_window(const nc_tile_descriptor_t* t) {
  return t->kernel_planes != 1 || t->kernel_rows != 1 || t->kernel_cols != 1 || t->stride_rows != 1 ||
         t->stride_cols != 1;
}

/// The boxes fit together as the kind needs. `words` is the extent of the padded input box.
static bool shape_good(const nc_tile_descriptor_t* t, uint32_t words) {
  const uint32_t planes = (uint32_t)t->pad_front + t->input_planes + t->pad_back;
  const uint32_t rows = (uint32_t)t->pad_top + t->input_rows + t->pad_bottom;
  const uint32_t cols = (uint32_t)t->pad_left + t->input_cols + t->pad_right;
  const bool window_fits = fits(rows, t->output_rows, t->stride_rows, t->kernel_rows) &&
                           fits(cols, t->output_cols, t->stride_cols, t->kernel_cols);
  // Vectors are one row in cube memory and several in the eyes of the NTX, with the pitch that the descriptor
  // says.
  const uint64_t last_row = (uint64_t)(t->output_rows - 1) * t->input_tcdm_row;
  switch (t->kind) {
    case NC_KIND_CONV2D:
      return t->kernel_planes == 1 && planes == t->input_planes && window_fits &&
             t->weights_rows == t->output_planes &&
             t->weights_cols == (uint64_t)t->input_planes * t->kernel_rows * t->kernel_cols;
    case NC_KIND_GEMM:
      return !has_padding(t) && !has_window(t) && planes == 1 && t->output_planes == 1 &&
             t->output_rows == rows && t->weights_rows == cols && t->weights_cols == t->output_cols;
    case NC_KIND_GEMV:
      return !has_padding(t) && !has_window(t) && planes == 1 && t->output_planes == 1 &&
             t->output_rows == 1 && t->output_cols == rows && t->weights_rows == 1 && t->weights_cols == cols;
    case NC_KIND_AXPY:
    case NC_KIND_RELU:
      return !has_padding(t) && !has_window(t) && planes == 1 && t->output_planes == 1 &&
             last_row + t->output_cols <= words &&
             (t->kind == NC_KIND_RELU || (t->weights_rows == 1 && t->weights_cols == 1));
    case NC_KIND_MAX_POOL:
      return t->kernel_planes == 1 && planes == t->input_planes && window_fits &&
             t->output_planes == t->input_planes;
    default: {  // NC_KIND_STENCIL
      const bool star = t->kernel_cols == 3 && (t->kernel_rows == 1 || t->kernel_rows == 3) &&
                        (t->kernel_planes == 1 || t->kernel_planes == 3) && t->stride_rows == 1 &&
                        t->stride_cols == 1;
      const uint64_t last = (uint64_t)(t->output_planes + t->kernel_planes - 2) * t->input_tcdm_plane +
                            (uint64_t)(t->output_rows + t->kernel_rows - 2) * t->input_tcdm_row +
                            t->output_cols + 1;
      return star && t->weights_rows == 1 && t->weights_cols == 7 && last < words &&
             fits(planes, t->output_planes, 1, t->kernel_planes);
    }
  }
}

static bool lanes_good(const nc_tile_descriptor_t* t, uint32_t ntx_count) {
  if (t->lanes_a == 0 || t->lanes_b == 0 || (uint32_t)t->lanes_a * t->lanes_b > ntx_count) return false;
  switch (t->kind) {
    case NC_KIND_CONV2D:
      return t->output_planes <= t->lanes_a;  // five loops are for one plane
    case NC_KIND_GEMV:
    case NC_KIND_AXPY:
    case NC_KIND_RELU:
      return t->lanes_b == 1;
    default:
      return true;
  }
}

/// Sizes of the boxes, or false if one cannot be.
static bool measure(const nc_tile_descriptor_t* t, const nc_limits_t* limits, uint32_t input_words,
                    nc_boxes_t* boxes) {
  const uint32_t output_words =
      box_words(t->output_planes, t->output_rows, t->output_cols, t->output_tcdm_row, t->output_tcdm_plane);
  const bool weighted = (flags_allowed(t->kind) & WEIGHTS) != 0;
  const uint32_t weights_words =
      weighted ? box_words(1, t->weights_rows, t->weights_cols, t->weights_tcdm_row, 0) : 0;
  if (input_words == 0 || output_words == 0 || (weighted && weights_words == 0)) return false;
  const bool wide = (t->flags & WIDE) != 0;
  const uint64_t images = (uint64_t)t->output_planes * t->output_rows * t->output_cols * limits->image_bytes;
  if (wide && images > limits->tile_bytes) return false;
  *boxes = (nc_boxes_t){{4 * input_words, 4 * weights_words, 4 * output_words, wide ? (uint32_t)images : 0}};
  return true;
}

/// All boxes lie in the tile space, word aligned, apart from each other. An empty one may be anywhere.
static inline bool places_good(const nc_tile_descriptor_t* t, uint32_t limit, const nc_boxes_t* boxes) {
  const uint32_t* offset = &t->input_offset;  // input, weights, output and partial follow each other
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t bytes = boxes->bytes[i], begin = offset[i];
    if (bytes == 0) continue;
    if (begin % 4 != 0 || begin > limit || bytes > limit - begin) return false;
    for (uint32_t j = 0; j < i; ++j)
      if (boxes->bytes[j] != 0 && begin < offset[j] + boxes->bytes[j] && offset[j] < begin + bytes)
        return false;
  }
  return true;
}

static_assert(
    offsetof(nc_tile_descriptor_t, weights_offset) == offsetof(nc_tile_descriptor_t, input_offset) + 4 &&
        offsetof(nc_tile_descriptor_t, output_offset) == offsetof(nc_tile_descriptor_t, input_offset) + 8 &&
        offsetof(nc_tile_descriptor_t, partial_offset) == offsetof(nc_tile_descriptor_t, input_offset) + 12,
    "places_good takes the offsets as an array");

/// The addresses that the flags ask for lie in cube memory, word aligned.
static inline bool addresses_good(const nc_tile_descriptor_t* t) {
  static_assert(NC_FLAG_LOAD_INPUT == 1 && NC_FLAG_LOAD_WEIGHTS == 2 && NC_FLAG_STORE_OUTPUT == 4 &&
                    NC_FLAG_INIT_BIAS == 8 && NC_FLAG_INIT_OUTPUT == 16,
                "one flag an address, in their order");
  const uint64_t* address = &t->input_address;  // input, weights, output and bias follow each other
  uint32_t needed = t->flags & 0xFu;
  if ((t->flags & NC_FLAG_INIT_OUTPUT) != 0) needed |= NC_FLAG_STORE_OUTPUT;
  for (; needed != 0; needed >>= 1, ++address)
    if ((needed & 1) != 0 && (*address % 4 != 0 || *address < NC_CUBE_BASE)) return false;
  return true;
}

static_assert(offsetof(nc_tile_descriptor_t, bias_address) ==
                  offsetof(nc_tile_descriptor_t, input_address) + 24,
              "addresses_good takes the addresses as an array");

/// Words of the padded input box, or 0.
static uint32_t input_words(const nc_tile_descriptor_t* t) {
  return box_words((uint32_t)t->pad_front + t->input_planes + t->pad_back,
                   (uint32_t)t->pad_top + t->input_rows + t->pad_bottom,
                   (uint32_t)t->pad_left + t->input_cols + t->pad_right, t->input_tcdm_row,
                   t->input_tcdm_plane);
}

bool nc_input_loads(const nc_tile_descriptor_t* t, const nc_limits_t* limits) {
  if ((t->flags & NC_FLAG_LOAD_INPUT) == 0 || t->barriers != 0) return false;
  if (t->input_planes == 0 || t->input_rows == 0 || t->input_cols == 0) return false;
  const uint32_t bytes = 4 * input_words(t), begin = t->input_offset, limit = limits->tile_bytes;
  return bytes != 0 && begin % 4 == 0 && begin <= limit && bytes <= limit - begin &&
         t->input_address % 4 == 0 && t->input_address >= NC_CUBE_BASE;
}

uint32_t nc_check_tile(const nc_tile_descriptor_t* t, const nc_limits_t* limits, nc_boxes_t* boxes) {
  if (t->kind < NC_KIND_CONV2D || t->kind > NC_KIND_STENCIL) return NC_JOB_BAD_KIND;
  if (!flags_good(t)) return NC_JOB_BAD_FLAGS;
  if (!extents_good(t)) return NC_JOB_BAD_SHAPE;
  const uint32_t words = input_words(t);
  if (words == 0) return NC_JOB_BAD_TCDM;
  if (!shape_good(t, words)) return NC_JOB_BAD_SHAPE;
  if (!lanes_good(t, limits->ntx_count)) return NC_JOB_BAD_LANES;
  if (!measure(t, limits, words, boxes)) return NC_JOB_BAD_TCDM;
  const uint32_t pitches = t->input_row_pitch | t->input_plane_pitch | t->weights_row_pitch |
                           t->output_row_pitch | t->output_plane_pitch;
  if (pitches % 4 != 0) return NC_JOB_BAD_ADDRESS;
  return nc_check_moved(t, limits, boxes);
}

NC_HOT bool nc_same_shape(const nc_tile_descriptor_t* a, const nc_tile_descriptor_t* b) {
  // Load flags may differ, but only where the kind knows them: load_weights without weights is for
  // nc_check_tile.
  const bool weighted = a->kind != NC_KIND_MAX_POOL && a->kind != NC_KIND_RELU;
  const uint32_t free_flags = NC_FLAG_LOAD_INPUT | NC_FLAG_SYNC | (weighted ? WEIGHTS : 0);
  if (a->kind != b->kind || ((a->flags ^ b->flags) & ~free_flags) != 0) return false;
  const uint32_t *x = (const uint32_t*)a, *y = (const uint32_t*)b;
  uint32_t different = x[1] ^ y[1];
  for (uint32_t i = FIRST_PITCH; i < FIRST_OFFSET; ++i) different |= x[i] ^ y[i];
  for (uint32_t i = FIRST_OFFSET + 4; i < LAST_WORD; ++i) different |= x[i] ^ y[i];
  return different == 0;
}

NC_HOT uint32_t nc_check_moved(const nc_tile_descriptor_t* t, const nc_limits_t* limits,
                               const nc_boxes_t* boxes) {
  if (t->barriers != 0 && (t->flags & NC_FLAG_SYNC) == 0) return NC_JOB_BAD_BARRIERS;
  if (t->ahead - 1u >= NC_MOST_AHEAD) return NC_JOB_BAD_AHEAD;
  if (!places_good(t, limits->tile_bytes, boxes)) return NC_JOB_BAD_TCDM;
  if (!addresses_good(t)) return NC_JOB_BAD_ADDRESS;
  return NC_JOB_OK;
}

/// An array within what the core sees of cube memory.
static bool array_good(uint64_t address, uint64_t bytes) {
  return address % 8 == 0 && address >= NC_CUBE_BASE && address <= 1ull << 32 &&
         bytes <= (1ull << 32) - address;
}

uint32_t nc_check_header(const nc_job_header_t* header, const nc_limits_t* limits, uint32_t cluster) {
  if (header->magic != NC_JOB_MAGIC) return NC_JOB_BAD_MAGIC;
  if (header->version != NC_JOB_VERSION || header->descriptor_bytes != sizeof(nc_tile_descriptor_t) ||
      header->reserved32 != 0 || header->reserved != 0)
    return NC_JOB_BAD_VERSION;
  if (header->image_bytes != limits->image_bytes || header->tile_bytes > limits->tile_bytes)
    return NC_JOB_BAD_HARDWARE;
  if (cluster >= header->cluster_count) return NC_JOB_BAD_RANGE;
  if (!array_good(header->descriptors_address,
                  (uint64_t)header->descriptor_count * sizeof(nc_tile_descriptor_t)) ||
      !array_good(header->ranges_address, (uint64_t)header->cluster_count * sizeof(nc_job_range_t)) ||
      !array_good(header->records_address, (uint64_t)header->cluster_count * sizeof(nc_job_record_t)))
    return NC_JOB_BAD_POINTER;
  return NC_JOB_OK;
}

uint32_t nc_check_range(const nc_job_header_t* header, const nc_job_range_t* range) {
  const bool within =
      range->first <= header->descriptor_count && range->count <= header->descriptor_count - range->first;
  return within ? NC_JOB_OK : NC_JOB_BAD_RANGE;
}

const char* nc_status_text(uint32_t status) {
  switch (status) {
    case NC_JOB_OK:
      return "all tiles done";
    case NC_JOB_BAD_POINTER:
      return "an address in the header is misaligned or outside cube memory";
    case NC_JOB_BAD_MAGIC:
      return "there is none (magic differs)";
    case NC_JOB_BAD_VERSION:
      return "made for another version of this firmware";
    case NC_JOB_BAD_RANGE:
      return "no range of descriptors for this cluster";
    case NC_JOB_BAD_HARDWARE:
      return "made for another size of wide images or of the TCDM";
    case NC_JOB_BAD_KIND:
      return "unknown kind";
    case NC_JOB_BAD_FLAGS:
      return "flags unknown, contradictory or not for this kind";
    case NC_JOB_BAD_SHAPE:
      return "an extent is zero or too large, or the boxes do not fit together";
    case NC_JOB_BAD_LANES:
      return "lanes do not fit the NTX or the output";
    case NC_JOB_BAD_TCDM:
      return "a box is misaligned in the TCDM, leaves the tile space, or overlaps another";
    case NC_JOB_BAD_ADDRESS:
      return "an address or pitch in cube memory is misaligned or outside";
    case NC_JOB_BAD_AHEAD:
      return "ahead is 0 or too large";
    case NC_JOB_BAD_BARRIERS:
      return "more barriers than the header has, or one without sync";
    case NC_JOB_DMA_ERROR:
      return "a transfer ended with a bus error";
    case NC_JOB_NTX_ERROR:
      return "an NTX refused or stopped a command";
    default:
      return "unknown status";
  }
}
