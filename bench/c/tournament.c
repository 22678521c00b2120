/*
 * The first phase of Ramanathan et al.'s tournament among n processes, all of which contend: in round j each contender asks
 * sigma_j = ceil(sqrt(n ln 2 / (n / 2^(j-1) - 1))) distinct processes, itself perhaps, and goes on if nobody else reached them.
 * Usage: tournament N TRIALS SEED LOSS ROUNDS. Prints messages, survivors and seconds of all trials.
 *
 * Two bits for each mediator, reached and crowded, in words that lie together: a quarter of the memory of bytes, most of it in the cache.
 */
#include "draw.h"
#include <string.h>

typedef struct {
  uint64_t reached, crowded;
} Marks;

static const uint32_t GONE = 0x80000000u;

static inline void reach(Marks *marks, uint32_t mediator, uint64_t arrives) {
  Marks *at = marks + (mediator >> 6);
  const uint64_t bit = arrives << (mediator & 63);
  at->crowded |= at->reached & bit;
  at->reached |= bit;
}

static inline uint32_t is_alone(const Marks *marks, uint32_t mediator) {
  return ~(marks[mediator >> 6].crowded >> (mediator & 63)) & 1;
}

/* A round, with sigma known to the compiler where it is small: then no loop over requests is left. Says how many go on. */
static inline __attribute__((always_inline)) uint32_t play(uint32_t n, uint32_t live, uint32_t sigma, uint64_t lost,
                                                           uint32_t *contenders, uint32_t *asked, Marks *marks,
                                                           uint64_t *messages) {
  uint64_t sent = 0;
  for (uint32_t i = 0; i < live; i++) {
    uint32_t *mine = asked + (size_t)i * sigma;
    for (uint32_t k = 0; k < sigma; k++) {
      uint32_t mediator, before;
      do {
        mediator = below(n);
        for (before = 0; before < k && (mine[before] & ~GONE) != mediator; before++) {}
      } while (before < k);
      const uint32_t other = mediator != contenders[i];
      const uint32_t arrives = lost == 0 || !(other & happens(lost));
      sent += other;
      reach(marks, mediator, arrives);
      mine[k] = arrives ? mediator : mediator | GONE;
    }
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < live; i++) {
    const uint32_t *mine = asked + (size_t)i * sigma;
    uint32_t goes_on = 1;
    for (uint32_t k = 0; k < sigma; k++) {
      const uint32_t mediator = mine[k] & ~GONE, arrived = mine[k] == mediator, other = mediator != contenders[i];
      sent += arrived & other;
      goes_on &= arrived & is_alone(marks, mediator);
      if (lost != 0) goes_on &= !(other & happens(lost));
    }
    contenders[kept] = contenders[i];
    kept += goes_on;
  }
  *messages += sent;
  return kept;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const uint32_t n = strtoul(argv[1], NULL, 10);
  const int trials = atoi(argv[2]), rounds = atoi(argv[5]);
  const uint64_t lost = limit_of(atof(argv[4]));
  uint32_t *contenders = room(n, sizeof *contenders);
  const size_t words = ((size_t)n + 63) / 64;
  Marks *marks = room(words, sizeof *marks);
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
      memset(marks, 0, words * sizeof *marks);
      switch (sigma) {
        case 1: live = play(n, live, 1, lost, contenders, asked, marks, &messages); break;
        case 2: live = play(n, live, 2, lost, contenders, asked, marks, &messages); break;
        case 3: live = play(n, live, 3, lost, contenders, asked, marks, &messages); break;
        default: live = play(n, live, sigma, lost, contenders, asked, marks, &messages);
      }
    }
    survivors += live;
  }
  report(messages, "survivors", survivors, now() - start);
  return 0;
}
