/*
 * Referees (Kutten et al., Algorithm 1) among n processes: each is a candidate with probability 2 ln n / n, a candidate asks
 * 2 ceil(sqrt(n ln n)) distinct others, and a referee lets the highest rank through.
 * Usage: referees N TRIALS SEED LOSS. Prints messages and seconds of all trials.
 *
 * Candidates are followed in the order of their ranks, highest first (ranks are independent of everything else), so a referee needs a bit: taken or
 * not. A candidate's own sample is marked by bits too where they stay in the cache, and by a small hash table where they do not.
 */
#include "draw.h"
#include <string.h>

static inline uint32_t slot_of(uint32_t key, uint32_t mask) {
  return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & mask;
}

/* `asked` distinct processes other than one, each marked by a bit, which is taken back. */
static void sample_by_bits(uint32_t *list, uint32_t asked, uint32_t n, uint32_t self, uint64_t *marks) {
  marks[self >> 6] |= 1ull << (self & 63);
  for (uint32_t k = 0; k < asked;) {
    const uint32_t drawn = below(n);
    const uint64_t word = marks[drawn >> 6];
    list[k] = drawn;
    k += ~(word >> (drawn & 63)) & 1;
    marks[drawn >> 6] = word | 1ull << (drawn & 63);
  }
  marks[self >> 6] = 0;
  for (uint32_t k = 0; k < asked; k++) marks[list[k] >> 6] = 0;
}

typedef struct {
  uint32_t key, stamp;
} Slot;

/* The same by a hash table, in which an old stamp marks a free slot. */
static void sample_by_hash(uint32_t *list, uint32_t asked, uint32_t n, uint32_t self, Slot *slots, uint32_t mask,
                           uint32_t stamp) {
  for (uint32_t k = 0; k < asked;) {
    const uint32_t drawn = below(n);
    uint32_t s = slot_of(drawn, mask);
    while (slots[s].stamp == stamp && slots[s].key != drawn) s = (s + 1) & mask;
    if (drawn == self || slots[s].stamp == stamp) continue;
    slots[s] = (Slot){drawn, stamp};
    list[k++] = drawn;
  }
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]);
  const uint64_t lost = limit_of(atof(argv[4]));
  const double ln = log(n), p = 2 * ln / n;
  uint32_t asked = 2 * (uint32_t)ceil(sqrt(n * ln));
  if (asked > n - 1) asked = n - 1;
  const size_t words = ((size_t)n + 63) / 64;
  const int by_bits = words * 8 <= 1u << 21;
  uint32_t size = 16;
  while (size < 2 * asked) size <<= 1;
  uint64_t *taken = room(words, sizeof *taken);
  uint64_t *marks = by_bits ? room(words, sizeof *marks) : NULL;
  Slot *slots = by_bits ? NULL : room(size, sizeof *slots);
  uint32_t *list = room(asked + 32, sizeof *list);
  seed_with(strtoul(argv[3], NULL, 10));
  uint64_t messages = 0, leaders = 0;
  uint32_t stamp = 0;
  const double start = now(), logq = log1p(-p);
  for (int trial = 0; trial < trials; trial++) {
    if (trial > 0) memset(taken, 0, words * sizeof *taken);
    for (double node = floor(log(unit()) / logq); node < n; node += 1 + floor(log(unit()) / logq)) {
      if (by_bits) sample_by_bits(list, asked, n, (uint32_t)node, marks);
      else sample_by_hash(list, asked, n, (uint32_t)node, slots, size - 1, ++stamp);
      uint32_t mine = 0, arrives = asked;
      if (lost != 0) {
        arrives = 0;
        for (uint32_t k = 0; k < asked; k++) {
          list[arrives] = list[k];
          arrives += !happens(lost);
        }
      }
      for (uint32_t k = 0; k < arrives; k++) {
        __builtin_prefetch(&taken[list[k + 32 < asked ? k + 32 : k] >> 6], 1);
        const uint32_t referee = list[k];
        const uint64_t word = taken[referee >> 6];
        mine += ~(word >> (referee & 63)) & 1;
        taken[referee >> 6] = word | 1ull << (referee & 63);
      }
      uint32_t heard = mine;
      if (lost != 0)
        for (uint32_t k = 0; k < mine; k++) heard -= happens(lost);
      leaders += heard == asked;
      messages += asked + mine;
    }
  }
  report(messages, "leaders", leaders, now() - start);
  return 0;
}
