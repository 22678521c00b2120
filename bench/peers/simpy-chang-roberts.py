"""Chang-Roberts on SimPy 3: every message is one event with a callback, which is its quickest way.

Usage: simpy-chang-roberts.py N SEED fixed|exponential. Prints messages and seconds.
"""
import json
import random
import sys
import time

import simpy

n, seed, delays = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
ids = list(range(n))
rng.shuffle(ids)
env = simpy.Environment()
messages = 0
leaders = 0


def send(origin, carried):
    global messages
    messages += 1
    to = (origin + 1) % n
    delay = 1 if delays == "fixed" else rng.expovariate(1)
    event = env.timeout(delay)
    event.callbacks.append(lambda _: arrive(to, carried))


def arrive(place, carried):
    global leaders
    if carried > ids[place]:
        send(place, carried)
    elif carried == ids[place]:
        leaders += 1


start = time.perf_counter()
for place in range(n):
    send(place, ids[place])
env.run()
print(json.dumps({"messages": messages, "leaders": leaders, "seconds": time.perf_counter() - start}))
