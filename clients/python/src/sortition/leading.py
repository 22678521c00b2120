"""Leading: an office that the agent holds, and for how long this program may rely on that."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Callable, Optional, Tuple, Type
from urllib.parse import quote

from .connection import Connections, Json
from .errors import AgentError, NotLeading, Unreachable

log = logging.getLogger("sortition")

Clocks = Tuple[float, float]

#: Seconds between questions of a program that waits.
PAUSE = 0.25
#: Seconds between questions while the agent does not answer, or promises little.
SHORTEST = 0.02
RETRY = 0.1


def clocks() -> Clocks:
    """Both clocks: a suspended machine stops the monotonic one, and the other one can be set."""
    return time.monotonic(), time.time()


class Promise:
    """Until when an answer holds, counted from before the question was sent. A promise that has passed stays so."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: Optional[Clocks] = None
        self._is_over = False

    def extend(self, asked: Clocks, seconds: float) -> None:
        with self._lock:
            # The agent keeps an earlier promise also if a later one is shorter.
            given = (asked[0] + seconds, asked[1] + seconds)
            last = self._until
            if last is not None and self._left() <= 0:
                return
            self._until = given if last is None else (max(last[0], given[0]), max(last[1], given[1]))

    def end(self) -> None:
        with self._lock:
            self._is_over = True

    @property
    def left(self) -> float:
        with self._lock:
            return self._left()

    def _left(self) -> float:
        if self._is_over or self._until is None:
            return 0.0
        now = clocks()
        left = min(self._until[0] - now[0], self._until[1] - now[1])
        if left <= 0:
            self._is_over = True
        return max(0.0, left)


class Held:
    """
    An office that the agent holds. A thread asks the agent again before its promise has passed. It is true, as in `while lead:`,
    as long as no other member can lead.
    """

    #: The office, or one seat of it.
    office: str
    #: The fencing token: larger than that of any leader before.
    token: int

    def __init__(self, connections: Connections, office: Optional[str]) -> None:
        self._connections = connections
        self._asked_for = office
        self._promise = Promise()
        self._fence: Optional[str] = None
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._why = "it has not begun"
        #: Set when this program must stop.
        self.lost = threading.Event()

    @property
    def valid_for(self) -> float:
        """So many seconds this program may still work unless the agent renews its promise; 0.0: it may not."""
        return self._promise.left

    def __bool__(self) -> bool:
        return self.valid_for > 0

    def check(self) -> None:
        """Raises `NotLeading` if this program must not work any more. Call it right before what no guard protects."""
        if not self:
            raise NotLeadingOf(self, self._why)

    @property
    def fence(self) -> str:
        """What guards verify. It is a secret while the lease lasts. Raises `NotLeading`."""
        self.check()
        assert self._fence is not None
        return self._fence

    def wait(self, seconds: float) -> bool:
        """Sleeps, but not longer than this program leads. True if it still leads."""
        self.lost.wait(seconds)
        return bool(self)

    def _begin(self, answer: Json, asked: Clocks) -> bool:
        """False if the promise has passed already."""
        self.office = answer["office"]
        self.token = int(answer["token"])
        self._fence = answer["fence"]
        self._why = "the promise of the agent has passed"
        self._promise.extend(asked, answer["validForMs"] / 1000)
        if not self:
            return False
        self._thread = threading.Thread(target=self._keep, name=f"sortition {self.office}", daemon=True)
        self._thread.start()
        return True

    def _end(self) -> bool:
        """Whether it was held until now."""
        was_held = bool(self)
        self._stop.set()
        self._promise.end()
        self.lost.set()
        if was_held:
            self._why = "its block has ended"
        return was_held

    def _keep(self) -> None:
        pause = self.valid_for / 3
        why = self._why
        while not self._stop.wait(min(pause, self.valid_for)):
            left = self.valid_for
            if left <= 0:
                break
            asked = clocks()
            try:
                answer = fence_of(self._connections, self.office, left)
            except Unreachable as error:
                why = str(error)
                pause = RETRY
                continue
            except (AgentError, OSError) as error:
                # OSError: the file of the token cannot be read at the moment.
                why = str(error)
                if isinstance(error, AgentError) and not error.is_passing:
                    break
                pause = RETRY
                continue
            if answer is None or int(answer["token"]) != self.token:
                why = "the agent does not lead any more"
                break
            self._fence = answer["fence"]
            self._promise.extend(asked, answer["validForMs"] / 1000)
            pause = max(SHORTEST, self.valid_for / 3)
        if self._stop.is_set():
            return
        self._why = why
        self._promise.end()
        self.lost.set()


class NotLeadingOf(NotLeading):
    """Raised by one lead, whose block it ends."""

    def __init__(self, held: Held, why: str) -> None:
        super().__init__(f"this program does not lead: {why}")
        self.held = held


class Lead(Held):
    """
    `with agent.lead("leader") as lead:` waits until the agent leads. `NotLeading` that this lead raises inside ends the block
    and goes no further. At its end the office is given up, so that another member can lead.
    """

    def __init__(
        self,
        connections: Connections,
        office: Optional[str],
        timeout: Optional[float],
        resign: Callable[[str], None],
    ) -> None:
        super().__init__(connections, office)
        self._timeout = timeout
        self._resign = resign

    def __enter__(self) -> "Lead":
        limit = None if self._timeout is None else time.monotonic() + self._timeout
        while True:
            asked = clocks()
            answer = None
            try:
                answer = fence_of(self._connections, self._asked_for)
            except Unreachable as error:
                log.debug("%s", error)
            except AgentError as error:
                if not error.is_passing:
                    raise
            if answer is not None and self._begin(answer, asked):
                return self
            self._promise = Promise()
            if limit is not None and time.monotonic() + PAUSE > limit:
                raise NotLeading(f"the agent at {self._connections.url} did not lead within {self._timeout} s")
            time.sleep(PAUSE)

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool:
        if self._end():
            self._resign(self.office)
        return isinstance(error, NotLeadingOf) and error.held is self


def fence_of(connections: Connections, office: Optional[str], timeout: Optional[float] = None) -> Optional[Json]:
    """What the agent holds; None if it does not lead. Raises `AgentError` if it never will, as without leases."""
    query = "" if office is None else f"?office={quote(office, safe='')}"
    limit = connections.timeout if timeout is None else min(timeout, connections.timeout)
    try:
        return connections.ask("GET", f"/v1/fence{query}", timeout=max(limit, SHORTEST))
    except AgentError as error:
        if error.code == "NOT_HELD":
            return None
        raise
