"""Jobs that run once in the whole group, and jobs with a schedule. The lease store remembers which are done."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Optional
from urllib.parse import quote

from .connection import Connections, Json
from .errors import AgentError, JobFailed, NotLeading, Unreachable
from .leading import PAUSE, Held, clocks, log

#: Seconds for which the end of work is told to an agent that does not answer.
TELL_FOR = 600.0
#: Seconds between looks at the clock on the wall, which may be set.
LOOK_EVERY = 10.0
#: An occurrence is missed if it could not begin for so many seconds, or for half the time to the next one.
LATE = 60.0


@dataclass(frozen=True)
class JobRecord:
    """What the lease store remembers of a job."""

    key: str
    #: noted (a schedule that has not run yet), running, done or failed.
    state: str
    #: The scheduled time; None for a job without a schedule.
    scheduled_at: Optional[datetime]
    attempts: int
    failures: int
    #: The member of the newest attempt.
    name: str
    token: int
    status: Optional[int]
    #: When the record last changed, by the clock of the lease store.
    at: datetime

    @staticmethod
    def read(answer: Mapping[str, Any]) -> "JobRecord":
        occurrence = answer["occurrence"]
        return JobRecord(
            key=answer["key"],
            state=answer["state"],
            scheduled_at=time_of(occurrence) if occurrence > 0 else None,
            attempts=answer["attempts"],
            failures=answer["failures"],
            name=answer["name"],
            token=int(answer["token"] or 0),
            status=answer["status"],
            at=time_of(answer["at"]),
        )


@dataclass(frozen=True)
class JobDone:
    """A job that is done."""

    key: str
    #: The member beside which it was done, and when.
    by: str
    at: datetime
    token: int
    scheduled_at: Optional[datetime]
    attempts: int
    #: Whether this call did it.
    ran: bool


class Job(Held):
    """What the work of a job is told: what `Lead` tells, and which attempt at which occurrence it is."""

    def __init__(self, connections: Connections, office: Optional[str], key: str, record: JobRecord) -> None:
        super().__init__(connections, office)
        self.key = key
        self.scheduled_at = record.scheduled_at
        #: 1 for the first attempt at this occurrence; attempts of other members count.
        self.attempt = record.attempts


Work = Callable[[Job], object]


@dataclass(frozen=True)
class JobSettings:
    key: str
    office: Optional[str]
    #: After so many failures the job is given up.
    attempts: int
    #: Seconds for which the record is kept; None: 30 days.
    keep: Optional[float]
    #: Seconds between the end of a run and the next one; None: it runs once for each occurrence.
    after: Optional[float] = None

    @property
    def keep_ms(self) -> Optional[int]:
        return None if self.keep is None else round(self.keep * 1000)


class Jobs:
    """Runs jobs beside one agent."""

    def __init__(self, connections: Connections, resign: Callable[[str], None]) -> None:
        self._connections = connections
        self._resign = resign

    def record(self, key: str) -> Optional[JobRecord]:
        answer = self._connections.ask("GET", f"/v1/jobs/{quote(key, safe='')}")
        return None if answer["record"] is None else JobRecord.read(answer["record"])

    def once(
        self, settings: JobSettings, work: Work, scheduled_at: Optional[datetime], timeout: Optional[float]
    ) -> JobDone:
        limit = None if timeout is None else time.monotonic() + timeout
        occurrence = 0 if scheduled_at is None else round(scheduled_at.timestamp() * 1000)
        thrown: Optional[BaseException] = None
        while True:
            outcome = self._try(settings, work, occurrence, False)
            if isinstance(outcome, JobDone):
                return outcome
            thrown = outcome.thrown or thrown
            if outcome.failed is not None:
                raise JobFailed(outcome.failed, thrown)
            if limit is not None and time.monotonic() + outcome.wait > limit:
                raise TimeoutError(f'the job "{settings.key}" was not done within {timeout} s')
            time.sleep(outcome.wait)

    def every(
        self,
        settings: JobSettings,
        seconds: float,
        work: Work,
        missed: str,
        stop: threading.Event,
        on_done: Optional[Callable[[JobDone], object]],
        on_error: Optional[Callable[[JobFailed], object]],
    ) -> None:
        period = round(seconds * 1000)
        handled = -1
        thrown: Optional[BaseException] = None
        while not stop.is_set():
            now = time.time() * 1000
            last = int(now // period) * period
            is_late = now - last > min(LATE * 1000, period / 2)
            if last <= handled or (missed == "skip" and is_late):
                stop.wait(min(LOOK_EVERY, max(0.001, (last + period - now) / 1000)))
                continue
            if not self._leads(settings.office):
                stop.wait(PAUSE)
                continue
            outcome = self._try(settings, work, last, True)
            if isinstance(outcome, JobDone):
                handled = last
                if outcome.ran:
                    told(on_done, outcome)
            elif outcome.failed is not None:
                handled = last
                if outcome.thrown is not None or thrown is not None:
                    told(on_error, JobFailed(outcome.failed, outcome.thrown or thrown))
                thrown = None
            else:
                thrown = outcome.thrown or thrown
                stop.wait(outcome.wait)

    def after(
        self,
        settings: JobSettings,
        work: Work,
        stop: threading.Event,
        on_done: Optional[Callable[[JobDone], object]],
        on_error: Optional[Callable[[JobFailed], object]],
    ) -> None:
        while not stop.is_set():
            if not self._leads(settings.office):
                stop.wait(PAUSE)
                continue
            outcome = self._try(settings, work, 0, False)
            if isinstance(outcome, JobDone):
                told(on_done, outcome)
            else:
                if outcome.thrown is not None and outcome.failed is not None:
                    told(on_error, JobFailed(outcome.failed, outcome.thrown))
                stop.wait(outcome.wait)

    def _leads(self, office: Optional[str]) -> bool:
        """Whether asking the lease store may help. This question costs it nothing."""
        try:
            answer = self._connections.ask("GET", "/v1/self")
        except (Unreachable, AgentError) as error:
            if isinstance(error, AgentError) and not error.is_passing:
                raise
            return False
        name = office or str(answer["offices"][0]).split(":")[0]
        return any(led["office"] == name for led in answer["leads"])

    def _try(self, settings: JobSettings, work: Work, occurrence: int, noted: bool) -> "JobDone | Undone":
        """One attempt, if it may begin."""
        asked = clocks()
        try:
            begun = self._connections.ask(
                "POST",
                "/v1/begin",
                {
                    "key": settings.key,
                    "office": settings.office,
                    "scheduledAt": occurrence,
                    "noted": True if noted else None,
                    "afterMs": None if settings.after is None else round(settings.after * 1000),
                    "attempts": settings.attempts,
                    "keepMs": settings.keep_ms,
                },
                timeout=max(self._connections.timeout, 15.0),
            )
        except (Unreachable, AgentError) as error:
            if isinstance(error, AgentError) and not error.is_passing:
                raise
            log.debug("%s", error)
            return Undone(wait=PAUSE)
        record = None if begun["record"] is None else JobRecord.read(begun["record"])
        verdict = begun["verdict"]
        if verdict == "begun":
            assert record is not None
            return self._perform(settings, work, begun, record, asked)
        if verdict == "elsewhere" and settings.after is None:
            verdict = known(record, occurrence, settings.attempts) or verdict
        if record is not None and verdict in ("done", "noted", "later"):
            return done(record, False)
        if record is not None and verdict == "failed":
            return Undone(wait=PAUSE, failed=record)
        return Undone(wait=min(LOOK_EVERY, max(PAUSE, begun["waitMs"] / 1000)))

    def _perform(
        self, settings: JobSettings, work: Work, begun: Json, record: JobRecord, asked: "tuple[float, float]"
    ) -> "JobDone | Undone":
        job = Job(self._connections, settings.office, settings.key, record)
        if not job._begin(begun, asked):
            return Undone(wait=PAUSE)
        thrown: Optional[Exception] = None
        try:
            work(job)
        except NotLeading:
            pass
        except Exception as error:
            thrown = error
        finally:
            still_leads = job._end()
        if not still_leads:
            # It may have stopped because it does not lead any more, so another attempt begins.
            return Undone(wait=PAUSE, thrown=thrown)
        finished = self._finish(settings, begun["attempt"], thrown)
        if thrown is None:
            return Undone(wait=PAUSE) if finished is None else done(finished, True)
        log.warning('an attempt at the job "%s" has failed', settings.key, exc_info=thrown)
        # So that another member tries.
        self._resign(job.office)
        is_over = finished is not None and finished.failures >= settings.attempts
        return Undone(wait=PAUSE, thrown=thrown, failed=finished if is_over else None)

    def _finish(self, settings: JobSettings, attempt: str, thrown: Optional[Exception]) -> Optional[JobRecord]:
        """Also if the lease is over by then: what was done was done. None if a later attempt has begun, or no agent answers."""
        told_until = time.monotonic() + TELL_FOR
        body = {
            "key": settings.key,
            "attempt": attempt,
            "outcome": "done" if thrown is None else "failed",
            "keepMs": settings.keep_ms,
        }
        while time.monotonic() < told_until:
            try:
                answer = self._connections.ask("POST", "/v1/finish", body, timeout=max(self._connections.timeout, 15.0))
            except (Unreachable, AgentError) as error:
                if isinstance(error, AgentError) and not error.is_passing:
                    raise
                time.sleep(PAUSE)
                continue
            return JobRecord.read(answer["record"]) if answer["recorded"] else None
        return None


@dataclass(frozen=True)
class Undone:
    """An attempt that settled nothing, or the end of all attempts."""

    wait: float
    thrown: Optional[BaseException] = None
    #: As often as it may.
    failed: Optional[JobRecord] = None


def known(record: Optional[JobRecord], occurrence: int, attempts: int) -> Optional[str]:
    """What another member has recorded of this very occurrence."""
    if record is None:
        return None
    its = 0 if record.scheduled_at is None else round(record.scheduled_at.timestamp() * 1000)
    if its > occurrence:
        return "later"
    if its < occurrence:
        return None
    if record.state == "failed":
        return "failed" if record.failures >= attempts else None
    return record.state if record.state in ("done", "noted") else None


def done(record: JobRecord, ran: bool) -> JobDone:
    return JobDone(record.key, record.name, record.at, record.token, record.scheduled_at, record.attempts, ran)


def time_of(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


def told(call: Optional[Callable[[Any], object]], what: object) -> None:
    if call is None:
        return
    try:
        call(what)
    except Exception:
        logging.getLogger("sortition").exception("a function that was given to a schedule has failed")
