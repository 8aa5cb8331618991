// SPDX-License-Identifier: Apache-2.0
// Work for the speed bench: sorting, CRC, a matrix product in integers, and strings, over and over.
#include <stdint.h>
#include <string.h>

enum { kCount = 1000, kOrder = 24 };

static uint32_t numbers[kCount];
static int32_t a[kOrder][kOrder], b[kOrder][kOrder], c[kOrder][kOrder];
static char text[512];

static uint32_t crc32(const void* data, uint32_t bytes) {
  const uint8_t* p = data;
  uint32_t crc = ~0u;
  while (bytes-- != 0) {
    crc ^= *p++;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1u));
  }
  return ~crc;
}

static void sift(uint32_t* heap, int root, int count) {
  for (int child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && heap[child] < heap[child + 1]) ++child;
    if (heap[root] >= heap[child]) return;
    const uint32_t t = heap[root];
    heap[root] = heap[child];
    heap[child] = t;
  }
}

static uint32_t once(uint32_t state) {
  for (int i = 0; i < kCount; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = state;
  }
  for (int i = kCount / 2 - 1; i >= 0; --i) sift(numbers, i, kCount);
  for (int i = kCount - 1; i > 0; --i) {
    const uint32_t t = numbers[0];
    numbers[0] = numbers[i];
    numbers[i] = t;
    sift(numbers, 0, i);
  }
  for (int i = 0; i < kOrder; ++i) {
    for (int j = 0; j < kOrder; ++j) a[i][j] = (int32_t)(numbers[i] >> j), b[i][j] = i - j;
  }
  for (int i = 0; i < kOrder; ++i) {
    for (int j = 0; j < kOrder; ++j) {
      int32_t sum = 0;
      for (int k = 0; k < kOrder; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
  memset(text, 'a' + (int)(state % 26), sizeof text - 1);
  return crc32(numbers, sizeof numbers) ^ crc32(c, sizeof c) ^ crc32(text, (uint32_t)strlen(text));
}

int main(void) {
  uint32_t result = 1;
  for (int i = 0; i < 2000; ++i) result = result * 31 + once(result);
  return (int)result;
}
