/*
 * Chang-Roberts on a ring of n, every process starts, every message takes one unit: all events, in the order of their time.
 * Usage: chang-roberts N TRIALS SEED LOSS. Prints messages and seconds of all trials.
 */
#include "draw.h"

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]);
  const uint64_t lost = limit_of(atof(argv[4]));
  uint32_t *id = room(n, sizeof *id);
  /* Messages under way, in the order of their places, so that memory is read from front to back. */
  uint32_t *at = room(n, sizeof *at), *carries = room(n, sizeof *carries);
  seed_with(strtoul(argv[3], NULL, 10));
  uint64_t messages = 0, leaders = 0;
  const double start = now();
  for (int trial = 0; trial < trials; trial++) {
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t j = below(i + 1);
      id[i] = id[j];
      id[j] = i;
    }
    uint32_t live = n;
    for (uint32_t i = 0; i < n; i++) {
      at[i] = i;
      carries[i] = id[i];
    }
    while (live > 0) {
      uint32_t kept = 0;
      messages += live;
      for (uint32_t i = 0; i < live; i++) {
        const uint32_t place = at[i] + 1 == n ? 0 : at[i] + 1;
        const uint32_t carried = carries[i];
        if (happens(lost)) continue;
        if (carried == id[place]) leaders++;
        if (carried <= id[place]) continue;
        at[kept] = place;
        carries[kept++] = carried;
      }
      live = kept;
    }
  }
  report(messages, "leaders", leaders, now() - start);
  return 0;
}
