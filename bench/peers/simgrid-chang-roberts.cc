/*
 * Chang-Roberts on SimGrid (S4U): an actor and a mailbox for every process, all on one host, so that no network is computed.
 * Usage: simgrid-chang-roberts N SEED fixed. Prints messages and seconds.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>
#include <simgrid/s4u.hpp>
#include <vector>

namespace s4u = simgrid::s4u;

static std::vector<uint32_t> ids;
static std::vector<s4u::Mailbox *> boxes;
static uint64_t messages = 0, leaders = 0;
static const uint32_t END = UINT32_MAX;

static void send(uint32_t to, uint32_t id) {
  boxes[to]->put_init(new uint32_t(id), 0)->detach();
}

static void process(uint32_t place) {
  const uint32_t next = place + 1 == ids.size() ? 0 : place + 1;
  messages++;
  send(next, ids[place]);
  for (;;) {
    const auto heard = boxes[place]->get_unique<uint32_t>();
    if (*heard == END) {
      if (ids[place] != ids.size() - 1) send(next, END);
      return;
    }
    if (*heard == ids[place]) {
      leaders++;
      send(next, END);
    } else if (*heard > ids[place]) {
      messages++;
      send(next, *heard);
    }
  }
}

int main(int argc, char **argv) {
  s4u::Engine engine(&argc, argv);
  if (argc != 4) return 2;
  ids.resize(std::strtoul(argv[1], nullptr, 10));
  std::mt19937_64 random_bits(std::strtoul(argv[2], nullptr, 10));
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), random_bits);
  auto *zone = s4u::create_full_zone("all");
  auto *host = zone->create_host("host", "1Gf");
  host->seal();
  auto *loopback = zone->create_link("loopback", "1GBps")->set_latency("1s")->seal();
  zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(loopback)});
  zone->seal();
  for (uint32_t i = 0; i < ids.size(); i++) boxes.push_back(s4u::Mailbox::by_name(std::to_string(i)));
  for (uint32_t i = 0; i < ids.size(); i++)
    s4u::Actor::create(std::to_string(i), host, [i] { process(i); });
  const auto start = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("{\"messages\": %llu, \"leaders\": %llu, \"seconds\": %.6f}\n", (unsigned long long)messages,
              (unsigned long long)leaders, took.count());
  return 0;
}
