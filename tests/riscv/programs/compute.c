// SPDX-License-Identifier: Apache-2.0
// Ordinary compiled code: recursion, division, bytes, 64-bit arithmetic, libc's string functions and
// formatting. program_test.cpp computes the same in C++ and compares `results`.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 300 };

uint32_t numbers[kCount];
struct {
  uint32_t sorted_crc;
  uint32_t is_sorted;
  uint32_t string_crc;
  uint32_t string_length;
  uint32_t find_position;
  uint32_t compare;
  uint64_t fibonacci;
  uint32_t digits_sum;
  char text[64];
} results;

static uint32_t crc32(const void* data, size_t bytes) {
  const uint8_t* p = data;
  uint32_t crc = ~0u;
  while (bytes-- != 0) {
    crc ^= *p++;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1u));
  }
  return ~crc;
}

static void quicksort(uint32_t* first, uint32_t* last) {
  if (last - first < 2) return;
  const uint32_t pivot = first[(last - first) / 2];
  uint32_t* low = first;
  uint32_t* high = last - 1;
  while (low <= high) {
    while (*low < pivot) ++low;
    while (*high > pivot) --high;
    if (low <= high) {
      const uint32_t t = *low;
      *low++ = *high;
      *high-- = t;
    }
  }
  quicksort(first, high + 1);
  quicksort(low, last);
}

int main(void) {
  uint32_t state = 12345;
  for (int i = 0; i < kCount; ++i) {
    state = state * 1664525u + 1013904223u;
    numbers[i] = state >> 3;
  }
  quicksort(numbers, numbers + kCount);
  results.is_sorted = 1;
  for (int i = 1; i < kCount; ++i) {
    if (numbers[i - 1] > numbers[i]) results.is_sorted = 0;
  }
  results.sorted_crc = crc32(numbers, sizeof numbers);

  char buffer[256];
  memset(buffer, '.', sizeof buffer);
  strcpy(buffer, "near memory");
  strcat(buffer, " computing");
  memmove(buffer + 4, buffer, strlen(buffer) + 1);
  memcpy(buffer, "the ", 4);
  results.string_length = (uint32_t)strlen(buffer);
  results.string_crc = crc32(buffer, sizeof buffer);
  results.find_position = (uint32_t)(strstr(buffer, "comp") - buffer);
  results.compare = strcmp(buffer, "the near") > 0 && memcmp(buffer, "the neat", 8) < 0;

  uint64_t a = 0, b = 1;
  for (int i = 0; i < 90; ++i) {
    const uint64_t t = a + b;
    a = b;
    b = t;
  }
  results.fibonacci = a;
  uint32_t sum = 0;
  for (uint64_t n = a; n != 0; n /= 10) sum += (uint32_t)(n % 10);
  results.digits_sum = sum;
  snprintf(results.text, sizeof results.text, "%d %u %x %s %c", -42, 4000000000u, 0xC0DEu, "text", '!');
  return results.is_sorted ? 0 : 1;
}
