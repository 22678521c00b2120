/*
 * Referees (Kutten et al., Algorithm 1) among n processes: each is a candidate with probability 2 ln n / n, a candidate asks
 * 2 ceil(sqrt(n ln n)) distinct others, and a referee lets the highest rank through.
 * Usage: referees N TRIALS SEED LOSS. Prints messages and seconds of all trials.
 *
 * Candidates are followed in the order of their ranks, lowest first (ranks are independent of everything else), so that whoever comes later
 * wins, and a referee that has this candidate already was asked before. A request that is lost leaves no mark, so it may be drawn twice:
 * a chance of 1e-5 at n = 10^6.
 */
#include "draw.h"

typedef struct {
  uint32_t referee, stamp;
} Slot;

static inline uint32_t slot_of(uint32_t key, uint32_t mask) {
  return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & mask;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]);
  const uint64_t lost = limit_of(atof(argv[4]));
  const double ln = log(n), p = 2 * ln / n;
  uint32_t asked = 2 * (uint32_t)ceil(sqrt(n * ln));
  if (asked > n - 1) asked = n - 1;
  const uint32_t most = (uint32_t)(2 * ln + 12 * sqrt(2 * ln));
  uint32_t size = 16;
  while (size < 1.4 * 2 * ln * asked) size <<= 1;
  /* Referee -> best candidate, open addressing. A stamp that is not above `base` is of an earlier trial. */
  Slot *best = room(size, sizeof *best);
  uint32_t *won = room(most, sizeof *won);
  seed_with(strtoul(argv[3], NULL, 10));
  uint64_t messages = 0, leaders = 0;
  uint32_t base = 0;
  const double start = now(), logq = log1p(-p);
  for (int trial = 0; trial < trials; trial++) {
    uint32_t candidates = 0, used = 0;
    for (double node = floor(log(unit()) / logq); node < n && candidates < most; node += 1 + floor(log(unit()) / logq)) {
      const uint32_t stamp = base + ++candidates, self = (uint32_t)node;
      uint32_t mine = 0;
      for (uint32_t k = 0; k < asked; k++) {
        if (happens(lost)) continue;
        for (;;) {
          const uint32_t referee = below(n);
          if (referee == self) continue;
          uint32_t s = slot_of(referee, size - 1);
          while (best[s].stamp > base && best[s].referee != referee) s = (s + 1) & (size - 1);
          if (best[s].stamp == stamp) continue;
          if (best[s].stamp > base) won[best[s].stamp - base - 1]--;
          else if (++used == size) {
            fprintf(stderr, "the table is full\n");
            return 1;
          }
          best[s] = (Slot){referee, stamp};
          mine++;
          break;
        }
      }
      won[candidates - 1] = mine;
    }
    for (uint32_t c = 0; c < candidates; c++) {
      uint32_t heard = won[c];
      if (lost != 0)
        for (uint32_t k = 0; k < won[c]; k++) heard -= happens(lost);
      leaders += heard == asked;
    }
    messages += (uint64_t)candidates * asked + used;
    base += candidates;
  }
  report(messages, "leaders", leaders, now() - start);
  return 0;
}
