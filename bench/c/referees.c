/*
 * Referees (Kutten et al., Algorithm 1) among n processes: each is a candidate with probability 2 ln n / n, a candidate asks
 * 2 ceil(sqrt(n ln n)) distinct others, and a referee lets the highest rank through.
 * Usage: referees N TRIALS SEED LOSS. Prints messages and seconds of all trials.
 */
#include "draw.h"
#include <string.h>

typedef struct {
  uint32_t referee, candidate;
} Slot;

static uint32_t slot_of(uint32_t key, uint32_t mask) { return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & mask; }

static uint32_t power_above(double count) {
  uint32_t size = 16;
  while (size < count) size <<= 1;
  return size;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]);
  const uint64_t lost = limit_of(atof(argv[4]));
  const double ln = log(n), p = 2 * ln / n;
  uint32_t asked = 2 * (uint32_t)ceil(sqrt(n * ln));
  if (asked > n - 1) asked = n - 1;
  const uint32_t most = (uint32_t)(2 * ln + 20 * sqrt(2 * ln));
  const uint32_t size = power_above(1.3 * 2 * ln * asked), own_size = power_above(1.5 * asked);
  /* Referee -> best candidate, open addressing; 0 is nobody. */
  Slot *best = room(size, sizeof *best);
  uint32_t *own = room(own_size, sizeof *own), *stamp = room(own_size, sizeof *stamp);
  uint64_t *rank = room(most, sizeof *rank);
  uint32_t *won = room(most, sizeof *won);
  seed_with(strtoul(argv[3], NULL, 10));
  uint64_t messages = 0, leaders = 0;
  uint32_t turn = 0;
  const double start = now(), logq = log1p(-p);
  for (int trial = 0; trial < trials; trial++) {
    if (trial > 0) memset(best, 0, size * sizeof *best);
    uint32_t candidates = 0, used = 0;
    for (double node = floor(log(unit()) / logq); node < n && candidates < most; node += 1 + floor(log(unit()) / logq)) {
      const uint32_t c = candidates++;
      rank[c] = draw();
      won[c] = 0;
      turn++;
      /* Floyd's sample of distinct ports. */
      for (uint32_t j = n - 1 - asked; j < n - 1; j++) {
        uint32_t port = below(j + 1);
        for (int again = 0;; again = 1) {
          uint32_t s = slot_of(port, own_size - 1);
          while (stamp[s] == turn && own[s] != port) s = (s + 1) & (own_size - 1);
          if (stamp[s] == turn && !again) {
            port = j;
            continue;
          }
          stamp[s] = turn;
          own[s] = port;
          break;
        }
        if (happens(lost)) continue;
        const uint32_t referee = (uint32_t)(((uint64_t)node + port + 1) % n);
        uint32_t s = slot_of(referee, size - 1);
        while (best[s].candidate != 0 && best[s].referee != referee) s = (s + 1) & (size - 1);
        if (best[s].candidate == 0) {
          best[s] = (Slot){referee, c + 1};
          if (++used == size) {
            fprintf(stderr, "the table is full\n");
            return 1;
          }
        } else if (rank[best[s].candidate - 1] < rank[c]) best[s].candidate = c + 1;
      }
    }
    for (uint32_t s = 0; s < size; s++)
      if (best[s].candidate != 0 && !happens(lost)) won[best[s].candidate - 1]++;
    for (uint32_t c = 0; c < candidates; c++) leaders += won[c] == asked;
    messages += (uint64_t)candidates * asked + used;
  }
  report(messages, "leaders", leaders, now() - start);
  return 0;
}
