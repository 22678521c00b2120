"""The package beside real agents: leading, jobs, events, guards, and what happens when an agent is killed, paused or restarted."""

from __future__ import annotations

import ast
import atexit
import glob
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import unittest
from typing import Any, Dict, List, Tuple

from agents import ROOT, Group, RunningAgent, until

import sortition
from sortition import Agent, AgentError, Event, Job, JobFailed, NotLeading, Unreachable
from sortition.guards import FenceRefused, GuardKeys, SqliteGuard

#: Milliseconds of a lease: the default. With a shorter one a very busy machine would cost agents their leases in the middle of a test.
TTL = 5000
PROMISE = 0.45 * TTL / 1000

pair: Group
lone: Group
a: RunningAgent
b: RunningAgent
c: RunningAgent


def setUpModule() -> None:
    global pair, lone, a, b, c
    pair = Group("jobs", TTL)
    lone = Group("lone", TTL)
    # Not addModuleCleanup, which Python 3.8 forgets.
    atexit.register(pair.close)
    atexit.register(lone.close)
    # Runs before both: an interrupt must not leave agents running.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    a, b = pair.start("a"), pair.start("b")
    c = lone.start("c")
    pair.run("keygen", "--guard", "jobs", "--key-file", "group.key", "--out", "guard.key")
    until("a leader that both know", lambda: led_by() and a.client.leader() and b.client.leader())


def led_by() -> "RunningAgent | None":
    leader = a.client.leader()
    if leader is None or leader.state != "live":
        return None
    return a if leader.name == "a" else b


def other(agent: RunningAgent) -> RunningAgent:
    return b if agent is a else a


class TestLeading(unittest.TestCase):
    def test_only_the_leader_enters_and_its_end_lets_another_one_lead(self) -> None:
        database = sqlite3.connect(pair.path("app.db"))
        database.execute("CREATE TABLE writes (token integer)")
        keys = GuardKeys.load(pair.path("guard.key"), "jobs")
        guard = SqliteGuard(keys, "leader")
        until("a leader", led_by)
        first = led_by() or a
        with first.client.lead("leader") as lead:
            self.assertTrue(lead)
            self.assertTrue(0 < lead.valid_for <= PROMISE)
            with self.assertRaisesRegex(NotLeading, "did not lead within 0.1 s"):
                with other(first).client.lead(timeout=0.1):
                    self.fail("two lead")
            old = lead.fence
            with guard.guarded(database, old) as fence:
                database.execute("INSERT INTO writes VALUES (?)", (fence.token,))
            self.assertEqual((fence.group, fence.seat, fence.token), ("jobs", "leader", lead.token))
            # Longer than one promise: a thread renews it.
            self.assertTrue(lead.wait(PROMISE + 0.5))
        self.assertFalse(lead)
        self.assertEqual(lead.valid_for, 0.0)
        with self.assertRaises(NotLeading):
            lead.check()
        with other(first).client.lead("leader") as next_lead:
            self.assertGreater(next_lead.token, lead.token)
            with guard.guarded(database, next_lead.fence):
                database.execute("INSERT INTO writes VALUES (?)", (next_lead.token,))
            for shown, code in [(old, "old"), (old[:-1] + "!", "malformed"), (None, "missing")]:
                with self.assertRaises(FenceRefused) as refused:
                    with guard.guarded(database, shown):
                        database.execute("INSERT INTO writes VALUES (0)")
                self.assertEqual(refused.exception.code, code)
            self.assertEqual(
                database.execute("SELECT token FROM writes").fetchall(), [(lead.token,), (next_lead.token,)]
            )
            with self.assertRaises(FenceRefused):
                SqliteGuard(keys, "shards#1").keys.verify("shards#1", next_lead.fence)
            with self.assertRaises(FenceRefused):
                GuardKeys("jobs", [b"k" * 32]).verify("leader", next_lead.fence)
            # NotLeading of this lead ends its block and goes no further.
            next_lead._promise.end()
            next_lead.check()
            self.fail("the block goes on")
        database.close()

    def test_a_paused_agent_costs_the_office_when_its_promise_has_passed(self) -> None:
        until("a leader", led_by)
        leader = led_by() or a
        with leader.client.lead() as lead:
            leader.signal(signal.SIGSTOP)
            began = led_at = asked_at = time.monotonic()
            while lead:
                led_at = asked_at
                time.sleep(0.01)
                asked_at = time.monotonic()
            self.assertTrue(lead.lost.wait(10))
            leader.signal(signal.SIGCONT)
        self.assertLessEqual(led_at, began + PROMISE)


class TestRestart(unittest.TestCase):
    def test_killed_and_started_again(self) -> None:
        until("the only member leads", lambda: c.client.leader())
        with c.client.events() as stream:
            self.assertEqual(next(stream).name, "status")
            with c.client.lead() as lead:
                c.signal(signal.SIGKILL)
                # Until the promise has passed no other member can lead.
                self.assertTrue(lead)
                self.assertTrue(lead.lost.wait(10))
                self.assertFalse(lead)
            self.assertIsNone(c.client.leader())
            with self.assertRaises(Unreachable):
                c.client.status()
            with self.assertRaises(NotLeading):
                with c.client.lead(timeout=0.1):
                    self.fail("nobody leads")
            c.restart()
            with c.client.lead(timeout=30) as again:
                self.assertGreater(again.token, lead.token)
            after = next(stream)
            self.assertEqual((after.name, after.data["gap"]), ("status", True))

    def test_wrong_settings_are_said_at_once(self) -> None:
        for wrong, office, code in [
            (Agent(a.url), None, "TOKEN_NEEDED"),
            (Agent(a.url, token="x"), None, "TOKEN_NEEDED"),
            (a.client, "nothing", "NO_SUCH_OFFICE"),
        ]:
            with self.assertRaises(AgentError) as refused:
                with wrong.lead(office):
                    self.fail("it leads")
            self.assertEqual(refused.exception.code, code)
        with self.assertRaises(ValueError):
            Agent("127.0.0.1:7070")


class TestEvents(unittest.TestCase):
    def test_a_stream_that_is_cut_off_resumes_without_a_gap(self) -> None:
        until("a leader", led_by)
        leader = led_by() or a
        read: List[Event] = []
        with leader.client.events() as stream:
            read.append(next(stream))
            # As if the network had ended the connection.
            assert stream._connection is not None and stream._connection.sock is not None
            stream._connection.sock.shutdown(socket.SHUT_RDWR)
            self.assertEqual(leader.client.transfer(other(leader).name)["to"], other(leader).name)
            while read[-1].name != "resigned":
                read.append(next(stream))
            closed = threading.Timer(0.1, stream.close)
            closed.start()
            for event in stream:
                read.append(event)
        self.assertEqual([event.name for event in read].count("status"), 1)
        numbers = [int(event.id.split("-")[1]) for event in read]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))


class TestJobs(unittest.TestCase):
    def both(self, work: "object") -> None:
        threads = [threading.Thread(target=work, args=(agent.client,)) for agent in (a, b)]  # type: ignore[arg-type]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_once_in_the_whole_group(self) -> None:
        runs: List[Job] = []
        done = []

        def work(job: Job) -> None:
            runs.append(job)
            job.check()
            time.sleep(0.05)

        self.both(lambda client: done.append(client.once("migrate", work)))
        self.assertEqual(len(runs), 1)
        self.assertEqual(sorted(each.ran for each in done), [False, True])
        self.assertEqual({each.by for each in done}, {done[0].by})
        record = a.client.job("migrate")
        assert record is not None
        self.assertEqual((record.state, record.attempts, record.token), ("done", 1, runs[0].token))
        self.assertEqual(a.client.once("migrate", work).ran, False)
        self.assertIsNone(a.client.job("unknown"))

    def test_a_failure_is_tried_again_by_another_member_then_given_up(self) -> None:
        tried: List[str] = []

        def work_of(name: str) -> "object":
            def work(job: Job) -> None:
                tried.append(f"{name}{job.attempt}")
                raise ZeroDivisionError("for the test")

            return work

        errors = []

        def run(client: Agent) -> None:
            try:
                client.once("fails", work_of("a" if client is a.client else "b"), attempts=2)  # type: ignore[arg-type]
            except JobFailed as error:
                errors.append(error)

        with self.assertLogs("sortition", "WARNING"):
            self.both(run)
        self.assertIn(tried, (["a1", "b2"], ["b1", "a2"]))
        self.assertEqual([error.record.failures for error in errors], [2, 2])
        self.assertTrue(all(isinstance(error.__cause__, ZeroDivisionError) for error in errors))

    def test_each_scheduled_time_runs_once(self) -> None:
        stop = threading.Event()
        times: List[float] = []
        ends: List[float] = []

        def at_times(job: Job) -> None:
            assert job.scheduled_at is not None
            times.append(job.scheduled_at.timestamp())

        def follow(client: Agent) -> None:
            pauses = threading.Thread(
                target=lambda: client.after(0.2, lambda job: ends.append(time.time()), key="after", stop=stop)
            )
            pauses.start()
            client.every(0.25, at_times, key="every", stop=stop)
            pauses.join()

        def stop_when_enough() -> None:
            try:
                until("two runs of each", lambda: len(times) >= 2 and len(ends) >= 2)
            finally:
                stop.set()

        watch = threading.Thread(target=stop_when_enough)
        watch.start()
        self.both(follow)
        watch.join()
        self.assertEqual(len(times), len(set(times)))
        self.assertTrue(all(abs(each * 4 - round(each * 4)) < 1e-6 for each in times))
        self.assertTrue(len(times) >= 2 and len(ends) >= 2)
        self.assertTrue(all(later - sooner > 0.15 for sooner, later in zip(ends, ends[1:])))


def programs(*path: str) -> List[str]:
    """The programs that a page shows."""
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


def page(*path: str) -> str:
    """The one program that a page shows."""
    (program,) = programs(*path)
    return program


class TestPages(unittest.TestCase):
    def test_the_program_of_the_page_about_guards(self) -> None:
        names: Dict[str, Any] = {}
        program = page("docs", "guards.md").replace("guard.key", pair.path("guard.key"))
        exec(program.replace("app.db", ":memory:"), names)
        names["database"].execute("CREATE TABLE payments (invoice text)")
        with self.assertRaises(FenceRefused):
            names["pay"](None, "1")
        until("a leader", led_by)
        with (led_by() or a).client.lead(resign=False) as lead:
            names["pay"](lead.fence, "2")
        self.assertEqual(names["database"].execute("SELECT * FROM payments").fetchall(), [("2",)])
        names["database"].close()


    def test_the_programs_of_the_tutorial(self) -> None:
        job, guarded, client = programs("docs", "python.md")
        until("a leader", led_by)
        leader = led_by() or a
        with leader.client.lead(resign=False) as lead:
            told = {"SORTITION_SEAT": "leader", "SORTITION_TOKEN": str(lead.token), "SORTITION_FENCE": lead.fence}
            self.assertRegex(self.first_line(job, told), rf"^process \d+ works with token {lead.token}$")
            self.first_line(guarded.replace("    time.sleep", "    print('written', flush=True)\n    time.sleep"), told)
            database = sqlite3.connect(pair.path("app.db"), timeout=5)
            self.assertEqual(set(database.execute("SELECT token FROM entries")), {(str(lead.token),)})
            database.close()
        self.assertRegex(self.first_line(client, {}, "x", leader.url), r"^x leads with token \d+$")

    def first_line(self, program: str, told: Dict[str, str], *args: str) -> str:
        environment = {**os.environ, **told, "PYTHONPATH": os.path.dirname(os.path.dirname(sortition.__file__))}
        command = [sys.executable, "-B", "-c", program, *args]
        with subprocess.Popen(command, cwd=pair.folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            line = process.stdout.readline().rstrip()
            process.kill()
        return line


class TestWholeProgram(unittest.TestCase):
    """Last, since it kills an agent of the pair for good."""

    def test_rows_follow_each_other_with_tokens_that_only_grow(self) -> None:
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "job.py")
        database = sqlite3.connect(pair.path("app.db"), timeout=5, isolation_level=None)
        self.addCleanup(database.close)
        database.execute("CREATE TABLE IF NOT EXISTS runs (number integer, by text, token integer)")
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(sortition.__file__))}
        most = 100_000
        jobs = [
            subprocess.Popen(
                [sys.executable, "-B", program, agent.name, agent.url, str(most)],
                cwd=pair.folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for agent in (a, b)
        ]
        pair.processes += jobs

        def rows() -> List[Tuple[int, str, int]]:
            return database.execute("SELECT number, by, token FROM runs").fetchall()

        until("rows of a leader", lambda: len(rows()) >= 3)
        leader = a if rows()[-1][1] == "a" else b
        leader.signal(signal.SIGKILL)
        until("rows of the other one", lambda: sum(by == other(leader).name for _, by, _ in rows()) >= 3)
        database.execute("BEGIN IMMEDIATE")
        written = rows()
        missing = [(number, "the test", written[-1][2]) for number in range(len(written) + 1, most + 1)]
        database.executemany("INSERT INTO runs VALUES (?, ?, ?)", missing)
        database.execute("COMMIT")
        self.assertEqual([number for number, _, _ in written], list(range(1, len(written) + 1)))
        self.assertEqual([token for _, _, token in written], sorted(token for _, _, token in written))
        self.assertEqual({by for _, by, _ in written}, {"a", "b"})
        # The program beside the agent that lives has nothing left to do. The other one waits for its agent.
        ended = jobs[0 if leader is b else 1]
        waiting = jobs[1 if leader is b else 0]
        self.assertEqual((ended.wait(30), (ended.stderr or sys.stdin.buffer).read()), (0, b""))
        self.assertIsNone(waiting.poll())
        waiting.kill()
        self.assertEqual((waiting.stderr or sys.stdin.buffer).read(), b"")
        for job in jobs:
            assert job.stderr is not None
            job.stderr.close()


class TestUnixSocket(unittest.TestCase):
    def test_an_agent_is_asked_at_a_unix_socket(self) -> None:
        d = lone.start("d", http=f"unix:{lone.folder}/d.sock")
        self.assertEqual(d.client.url, f"unix:{lone.folder}/d.sock")
        until("the group that d knows", lambda: d.client.leader() is not None)
        self.assertEqual(next(iter(d.client.events())).name, "status")


class TestPackage(unittest.TestCase):
    def test_it_reads_as_python_3_8_and_says_its_version(self) -> None:
        for file in glob.glob(os.path.join(os.path.dirname(sortition.__file__), "*.py")):
            with open(file, encoding="utf-8") as opened:
                ast.parse(opened.read(), feature_version=(3, 8))
        with open(os.path.join(ROOT, "clients", "python", "pyproject.toml"), encoding="utf-8") as opened:
            project = opened.read()
        with open(os.path.join(ROOT, "package.json"), encoding="utf-8") as opened:
            version = opened.read().split('"version": "')[1].split('"')[0]
        self.assertIn(f'version = "{version}"', project)


if __name__ == "__main__":
    unittest.main()
