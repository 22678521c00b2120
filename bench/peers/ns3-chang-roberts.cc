/*
 * Chang-Roberts on ns-3's scheduler alone, without any model of a network: every message is one event.
 * Usage: ns3-chang-roberts N SEED fixed|exponential. Prints messages and seconds.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ns3/core-module.h>
#include <numeric>
#include <random>
#include <vector>

static std::vector<uint32_t> ids;
static uint64_t messages = 0, leaders = 0;
static bool fixed_delay = true;
static std::mt19937_64 random_bits;
static std::exponential_distribution<double> exponential(1.0);

static void Arrive(uint32_t place, uint32_t id);

static void Send(uint32_t from, uint32_t id) {
  const uint32_t to = from + 1 == ids.size() ? 0 : from + 1;
  messages++;
  const double delay = fixed_delay ? 1.0 : exponential(random_bits);
  ns3::Simulator::Schedule(ns3::Seconds(delay), &Arrive, to, id);
}

static void Arrive(uint32_t place, uint32_t id) {
  if (id > ids[place]) Send(place, id);
  else if (id == ids[place]) leaders++;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  ids.resize(std::strtoul(argv[1], nullptr, 10));
  random_bits.seed(std::strtoul(argv[2], nullptr, 10));
  fixed_delay = std::strcmp(argv[3], "fixed") == 0;
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), random_bits);
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < ids.size(); i++) Send(i, ids[i]);
  ns3::Simulator::Run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ns3::Simulator::Destroy();
  std::printf("{\"messages\": %llu, \"leaders\": %llu, \"seconds\": %.6f}\n", (unsigned long long)messages,
              (unsigned long long)leaders, took.count());
  return 0;
}
