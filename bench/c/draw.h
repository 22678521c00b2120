/* Draws as a C programmer would make them: xoshiro256++ (Blackman and Vigna, public domain), one stream for everything. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t state[4];

static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t draw(void) {
  const uint64_t result = rotl(state[0] + state[3], 23) + state[0];
  const uint64_t t = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= t;
  state[3] = rotl(state[3], 45);
  return result;
}

static void seed_with(uint64_t seed) {
  for (int i = 0; i < 4; i++) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    state[i] = z ^ (z >> 31);
  }
}

/* Uniform below `bound`; the bias is below 2^-32. */
static inline uint32_t below(uint32_t bound) { return (uint32_t)(((draw() >> 32) * bound) >> 32); }

static inline double unit(void) { return (double)(draw() >> 11) * 0x1.0p-53; }

/* True with probability p, where `limit` is p * 2^64. */
static inline int happens(uint64_t limit) { return limit != 0 && draw() < limit; }

static inline uint64_t limit_of(double p) { return p >= 1 ? UINT64_MAX : (uint64_t)(p * 0x1.0p64); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Memory for `count` things, or an end in words. */
static void *room(size_t count, size_t size) {
  void *p = calloc(count, size);
  if (p == NULL) {
    fprintf(stderr, "no memory for %zu x %zu bytes\n", count, size);
    exit(1);
  }
  return p;
}

/* One line of JSON: what was counted, the time of all trials, and the memory at its highest. */
static void report(uint64_t messages, const char *what, uint64_t count, double seconds) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"messages\": %llu, \"%s\": %llu, \"seconds\": %.6f, \"megabytes\": %.1f}\n", (unsigned long long)messages,
         what, (unsigned long long)count, seconds, usage.ru_maxrss / 1024.0);
}
