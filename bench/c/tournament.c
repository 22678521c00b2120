/*
 * The first phase of Ramanathan et al.'s tournament among n processes, all of which contend: in round j each contender asks
 * sigma_j = ceil(sqrt(n ln 2 / (n / 2^(j-1) - 1))) distinct processes, itself perhaps, and goes on if nobody else reached them.
 * Usage: tournament N TRIALS SEED LOSS ROUNDS. Prints messages, survivors and seconds of all trials.
 */
#include "draw.h"
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]), rounds = atoi(argv[5]);
  const uint64_t lost = limit_of(atof(argv[4]));
  uint32_t *contenders = room(n, sizeof *contenders);
  /* How many have reached a mediator in this round: 0, 1, or 2 for more. */
  uint8_t *reached = room(n, sizeof *reached);
  uint32_t *asked = NULL;
  size_t asked_room = 0;
  seed_with(strtoul(argv[3], NULL, 10));
  uint64_t messages = 0, survivors = 0;
  const double start = now();
  for (int trial = 0; trial < trials; trial++) {
    uint32_t live = n;
    for (uint32_t i = 0; i < n; i++) contenders[i] = i;
    for (int round = 1; round <= rounds && live > 0; round++) {
      const uint32_t sigma = (uint32_t)ceil(sqrt(n * M_LN2 / (n / pow(2, round - 1) - 1)));
      if ((size_t)live * sigma > asked_room) {
        free(asked);
        asked_room = (size_t)live * sigma;
        asked = room(asked_room, sizeof *asked);
      }
      for (uint32_t i = 0; i < live; i++) {
        uint32_t *mine = asked + (size_t)i * sigma;
        for (uint32_t k = 0; k < sigma; k++) {
          uint32_t mediator, before;
          do {
            mediator = below(n);
            for (before = 0; before < k && (mine[before] & 0x7fffffffu) != mediator; before++) {}
          } while (before < k);
          messages += mediator != contenders[i];
          const int arrives = mediator == contenders[i] || !happens(lost);
          reached[mediator] += arrives & (reached[mediator] < 2);
          mine[k] = mediator | (arrives ? 0 : 0x80000000u);
        }
      }
      uint32_t kept = 0;
      for (uint32_t i = 0; i < live; i++) {
        const uint32_t *mine = asked + (size_t)i * sigma;
        uint32_t yes = 0;
        for (uint32_t k = 0; k < sigma; k++) {
          if (mine[k] & 0x80000000u) continue;
          const int self = mine[k] == contenders[i];
          messages += !self;
          yes += reached[mine[k]] == 1 && (self || !happens(lost));
        }
        if (yes == sigma) contenders[kept++] = contenders[i];
      }
      if ((uint64_t)live * sigma > n / 64) memset(reached, 0, n);
      else
        for (uint64_t i = 0; i < (uint64_t)live * sigma; i++) reached[asked[i] & 0x7fffffffu] = 0;
      live = kept;
    }
    survivors += live;
  }
  report(messages, "survivors", survivors, now() - start);
  return 0;
}
