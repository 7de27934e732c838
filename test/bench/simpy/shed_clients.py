"""The `shed` model and clients with overload control, simulated straightforwardly in SimPy.

What test/bench/virtual-speed.ts compares the virtual world with: the same model (Poisson arrivals over users, a server of sharp
capacity whose rejections cost work, one OverloadClient for each user with a bucket a second), as one would write it in Python.
Prints one line of JSON.

  python3 shed_clients.py --policy sre --users 1000 --rps 100000 --seconds 10 --capacity 10000 [--style process]

SimPy 3 or 4 (Debian's python3-simpy3) is used where it is installed, else SimPy 2 (python3-simpy). Style `inline`: one process
makes all calls, the least SimPy can be asked for; `process`: each call is a process, as its tutorials have it, with a delay of
`--latency` before the answer.
"""

import argparse
import collections
import json
import random
import time


class Server:
    """A bucket of work tokens: an arrival is accepted if there is one, and a rejection takes a part of one."""

    def __init__(self, capacity, burst, reject_cost):
        self.capacity = capacity
        self.burst = burst
        self.reject_cost = reject_cost
        self.tokens = burst
        self.refilled = 0.0
        self.sent = 0
        self.accepted = 0

    def accepts(self, now):
        self.sent += 1
        self.tokens = min(self.burst, self.tokens + (now - self.refilled) * self.capacity)
        self.refilled = now
        if self.tokens >= 1:
            self.tokens -= 1
            self.accepted += 1
            return True
        self.tokens -= self.reject_cost
        return False


class PlainClient:
    """Sends everything, `max_attempts` times if need be."""

    def __init__(self, max_attempts):
        self.max_attempts = max_attempts

    def admit(self, now, attempt):
        return "send"

    def settle(self, now, accepted):
        pass


class OverloadClient:
    """Handling Overload, chapter 21 of Site Reliability Engineering: K, a window of seconds, a retry budget."""

    max_attempts = 3

    def __init__(self, k=2.0, window=120, retry_ratio=0.1):
        self.k = k
        self.window = window
        self.retry_ratio = retry_ratio
        # [second, requests, accepts, retries], the oldest first
        self.buckets = collections.deque()
        self.requests = 0
        self.accepts = 0
        self.retries = 0

    def bucket(self, now):
        second = int(now)
        buckets = self.buckets
        while buckets and buckets[0][0] <= second - self.window:
            _, requests, accepts, retries = buckets.popleft()
            self.requests -= requests
            self.accepts -= accepts
            self.retries -= retries
        if not buckets or buckets[-1][0] != second:
            buckets.append([second, 0, 0, 0])
        return buckets[-1]

    def admit(self, now, attempt):
        bucket = self.bucket(now)
        if attempt > 0 and not self.retries < self.retry_ratio * self.requests:
            return "budget"
        probability = max(0.0, (self.requests - self.k * self.accepts) / (self.requests + 1))
        bucket[1] += 1
        self.requests += 1
        if attempt > 0:
            bucket[3] += 1
            self.retries += 1
        return "throttled" if random.random() < probability else "send"

    def settle(self, now, accepted):
        if accepted:
            self.bucket(now)[2] += 1
            self.accepts += 1


class SimPy:
    """SimPy 3 and 4."""

    def __init__(self):
        import simpy

        self.version = simpy.__version__
        self.env = simpy.Environment()

    def now(self):
        return self.env.now

    def start(self, steps):
        self.env.process(steps(None))

    def sleep(self, _process, seconds):
        return self.env.timeout(seconds)

    def run(self, seconds):
        self.env.run(until=seconds)


class SimPy2:
    def __init__(self):
        import SimPy
        from SimPy import Simulation

        self.version = SimPy.__version__
        self.lib = Simulation
        self.hold = Simulation.hold
        self.now = Simulation.now
        Simulation.initialize()

    def start(self, steps):
        process = self.lib.Process()
        self.lib.activate(process, steps(process))

    def sleep(self, process, seconds):
        return self.hold, process, seconds

    def run(self, seconds):
        self.lib.simulate(until=seconds)


def kernel():
    try:
        return SimPy()
    except ImportError:
        return SimPy2()


def simulate(options):
    sim = kernel()
    server = Server(options.capacity, options.burst, options.reject_cost)
    outcomes = collections.Counter()
    clients = [None] * options.users

    def client_of(user):
        if clients[user] is None:
            if options.policy == "sre":
                clients[user] = OverloadClient(options.k, options.window)
            else:
                clients[user] = PlainClient(3 if options.policy == "retry" else 1)
        return clients[user]

    def call(client):
        for attempt in range(client.max_attempts):
            now = sim.now()
            admission = client.admit(now, attempt)
            if admission != "send":
                outcomes[admission] += 1
                return
            accepted = server.accepts(now)
            client.settle(now, accepted)
            if accepted:
                outcomes["ok"] += 1
                return
        outcomes["failed"] += 1

    def call_process(client):
        def steps(process):
            for attempt in range(client.max_attempts):
                admission = client.admit(sim.now(), attempt)
                if admission != "send":
                    outcomes[admission] += 1
                    return
                accepted = server.accepts(sim.now())
                yield sim.sleep(process, options.latency)
                client.settle(sim.now(), accepted)
                if accepted:
                    outcomes["ok"] += 1
                    return
            outcomes["failed"] += 1

        return steps

    def arrivals(process):
        while True:
            yield sim.sleep(process, random.expovariate(options.rps))
            client = client_of(int(random.random() * options.users))
            if options.style == "inline":
                call(client)
            else:
                sim.start(call_process(client))

    sim.start(arrivals)
    start = time.perf_counter()
    sim.run(options.seconds)
    took = time.perf_counter() - start
    return {
        "simpy": sim.version,
        "calls": sum(outcomes.values()),
        "sent": server.sent,
        "accepted": server.accepted,
        "throttled": outcomes["throttled"],
        "wallSeconds": took,
    }


def main():
    parser = argparse.ArgumentParser(description="Clients with overload control against the shed model, in SimPy.")
    parser.add_argument("--policy", choices=["none", "retry", "sre"], default="sre")
    parser.add_argument("--style", choices=["inline", "process"], default="inline")
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--rps", type=float, default=100_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--capacity", type=float, default=10_000)
    parser.add_argument("--burst", type=float, default=10)
    parser.add_argument("--reject-cost", type=float, default=0.3)
    parser.add_argument("--latency", type=float, default=0)
    parser.add_argument("--k", type=float, default=2)
    parser.add_argument("--window", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    print(json.dumps(simulate(options)))


main()
