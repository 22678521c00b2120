"""Real agents, started as processes from the clone that these tests belong to."""

from __future__ import annotations

import base64
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from typing import Callable, List, Optional

from sortition import Agent

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BIN = os.path.join(ROOT, "bin", "sortition.js")
NODE = os.environ.get("SORTITION_NODE", "node")
TOKEN = "a-token-that-only-these-tests-know"
#: Seconds. Machines that run tests can be very busy.
LIMIT = 30.0


def free_port() -> int:
    """
    A port that is free for datagrams and for connections. The system takes ports for outgoing connections from 32768 on: a port below
    stays free until the agent has started. The project's other tests take ports below 20000.
    """
    while True:
        port = random.randrange(20_000, 30_000)
        try:
            with socket.socket() as connections, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
                connections.bind(("127.0.0.1", port))
                datagrams.bind(("127.0.0.1", port))
                return port
        except OSError:
            continue


class Group:
    """A folder with keys and a lease store, and the agents that run in it."""

    def __init__(self, group: str, ttl: int) -> None:
        self.name = group
        self.ttl = ttl
        self.folder = tempfile.mkdtemp(prefix="sortition-python-")
        self.processes: List[subprocess.Popen[bytes]] = []
        self.first: Optional[int] = None
        key = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        for name, text in (("http.token", TOKEN), ("group.key", key)):
            with open(os.open(self.path(name), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write(f"{text}\n")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def run(self, *args: str) -> None:
        subprocess.run([NODE, BIN, *args], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, name: str, http: Optional[str] = None) -> "RunningAgent":
        return RunningAgent(self, name, free_port(), http or f"127.0.0.1:{free_port()}")

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.send_signal(signal.SIGCONT)
            process.wait()
        shutil.rmtree(self.folder)


class RunningAgent:
    def __init__(self, group: Group, name: str, port: int, http: str) -> None:
        self.group = group
        self.name = name
        self.port = port
        self.http = http
        self.url = http if http.startswith("unix:") else f"http://{http}"
        self.client = Agent(self.url, token_file=group.path("http.token"))
        self.restart()

    def restart(self) -> None:
        group = self.group
        group.first = group.first or self.port
        with open(group.path(f"{self.name}.log"), "ab") as log:
            self.process = subprocess.Popen(
                [NODE, BIN, "agent", "--name", self.name, "--group", group.name, "--profile", "local"]
                + ["--key-file", "group.key", "--http-token-file", "http.token", "--seeds", f"127.0.0.1:{group.first}"]
                + ["--bind", f"127.0.0.1:{self.port}", "--http", self.http]
                + ["--lease", "sqlite:leases.db", "--lease-ttl", str(group.ttl)],
                cwd=group.folder,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        group.processes.append(self.process)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)
        if number == signal.SIGKILL:
            self.process.wait()


def until(what: str, is_so: Callable[[], object]) -> None:
    limit = time.monotonic() + LIMIT
    while not is_so():
        if time.monotonic() > limit:
            raise AssertionError(f"not within {LIMIT} s: {what}")
        time.sleep(0.02)
