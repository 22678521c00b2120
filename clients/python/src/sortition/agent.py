"""The agent beside this program."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, List, Mapping, Optional
from urllib.parse import quote

from .connection import Connections
from .errors import AgentError, JobFailed, Unreachable
from .events import EventStream
from .jobs import JobDone, JobRecord, Jobs, JobSettings, Work
from .leading import Lead, log

#: Seconds: an agent that gives an office up answers when its promises have passed and another member can lead.
DEPARTURE = 30.0


@dataclass(frozen=True)
class Leader:
    """The leader of an office, as this agent knows it."""

    name: str
    office: str
    #: Whether it is the agent that answers.
    mine: bool
    #: live, unreachable (it has the lease, but no member reaches it) or stale (the last that was known).
    state: str
    #: None without leases.
    token: Optional[int]
    term: int


class Agent:
    """
    The agent at `url`. Without arguments the environment counts: SORTITION_AGENT, SORTITION_HTTP_TOKEN_FILE and
    SORTITION_HTTP_TOKEN, as for the command line. Each request has a connection of its own, so an agent may be restarted.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        token_file: Optional[str] = None,
        ca_file: Optional[str] = None,
        timeout: float = 2.0,
    ) -> None:
        self._connections = Connections(url, token, token_file, ca_file, timeout)
        self._jobs = Jobs(self._connections, self._give_up)

    @property
    def url(self) -> str:
        return self._connections.url

    def lead(self, office: Optional[str] = None, *, timeout: Optional[float] = None, resign: bool = True) -> Lead:
        """
        `with agent.lead("leader") as lead:` waits until the agent leads (at most `timeout` seconds, then raises `NotLeading`).
        `office`: an office or one of its seats; the first office if it is None. At the end of the block the office is given up,
        unless `resign` is False.
        """
        return Lead(self._connections, office, timeout, self._give_up if resign else lambda seat: None)

    def once(
        self,
        key: str,
        work: Work,
        *,
        office: Optional[str] = None,
        attempts: int = 3,
        keep: Optional[float] = None,
        scheduled_at: Optional[datetime] = None,
        timeout: Optional[float] = None,
    ) -> JobDone:
        """
        Returns when the job is done, beside any agent of the group; `work(job)` runs only if this agent leads and the job is not
        done. Raises `JobFailed` after `attempts` failures. `scheduled_at` makes it one occurrence of a schedule.
        """
        return self._jobs.once(JobSettings(key, office, attempts, keep), work, scheduled_at, timeout)

    def every(
        self,
        seconds: float,
        work: Work,
        *,
        key: str,
        office: Optional[str] = None,
        attempts: int = 3,
        keep: Optional[float] = None,
        missed: str = "run",
        stop: Optional[threading.Event] = None,
        on_done: Optional[Callable[[JobDone], object]] = None,
        on_error: Optional[Callable[[JobFailed], object]] = None,
    ) -> None:
        """
        Runs `work(job)` at whole multiples of `seconds` since 1970 (UTC), each time beside one agent of the group, until `stop` is
        set. If no program ran when a time came, the latest one runs late, or is left out with `missed="skip"`.
        """
        if seconds < 0.1:
            raise ValueError(f"{seconds} s between runs is too short: give at least 0.1")
        if missed not in ("run", "skip"):
            raise ValueError(f'missed is "run" or "skip", not "{missed}"')
        settings = JobSettings(key, office, attempts, keep)
        self._jobs.every(settings, seconds, work, missed, stop or threading.Event(), on_done, on_error)

    def after(
        self,
        seconds: float,
        work: Work,
        *,
        key: str,
        office: Optional[str] = None,
        attempts: int = 3,
        keep: Optional[float] = None,
        stop: Optional[threading.Event] = None,
        on_done: Optional[Callable[[JobDone], object]] = None,
        on_error: Optional[Callable[[JobFailed], object]] = None,
    ) -> None:
        """Runs `work(job)` so many seconds after the end of the last run, whichever program ran it, until `stop` is set."""
        settings = JobSettings(key, office, attempts, keep, after=seconds)
        self._jobs.after(settings, work, stop or threading.Event(), on_done, on_error)

    def job(self, key: str) -> Optional[JobRecord]:
        """What the lease store remembers of a job."""
        return self._jobs.record(key)

    def leader(self, office: Optional[str] = None) -> Optional[Leader]:
        """
        The leader as far as this agent knows; None if it knows of no leader, or if it cannot be asked. This promises nothing: work
        inside `lead`.
        """
        path = "/v1/leader" if office is None else f"/v1/offices/{quote(office, safe='')}"
        try:
            answer = self._connections.ask("GET", path)
        except Unreachable:
            return None
        except AgentError as error:
            if error.is_passing:
                return None
            raise
        if "seats" in answer:
            raise ValueError(f'"{answer["office"]}" has several seats: name one, such as "{answer["office"]}#1"')
        leader = answer["leader"]
        if leader is None:
            return None
        token = None if answer["token"] is None else int(answer["token"])
        return Leader(leader["name"], answer["office"], leader["mine"], leader["state"], token, answer["term"])

    def events(self, *, after: Optional[str] = None) -> EventStream:
        """The events of the group; `after`: the id of the last event that was read, "0" for all that the agent keeps."""
        return EventStream(self._connections, after)

    def status(self) -> Mapping[str, Any]:
        """What `GET /v1/status` answers. Raises `Unreachable`."""
        return self._connections.ask("GET", "/v1/status")

    def resign(self, office: Optional[str] = None) -> List[Mapping[str, Any]]:
        """Gives up an office, or all that the agent leads. Returns when another member can lead. Raises `Unreachable`."""
        answer = self._connections.ask("POST", "/v1/resign", {"office": office}, timeout=DEPARTURE)
        return list(answer["resigned"])

    def transfer(self, to: str, office: Optional[str] = None) -> Mapping[str, Any]:
        """Gives an office to the member named. Returns when that member leads. Raises `AgentError` or `Unreachable`."""
        return self._connections.ask("POST", "/v1/transfer", {"to": to, "office": office}, timeout=DEPARTURE)

    def _give_up(self, office: str) -> None:
        try:
            self.resign(office)
        except (Unreachable, AgentError) as error:
            log.warning('the office "%s" could not be given up: %s', office, error)
