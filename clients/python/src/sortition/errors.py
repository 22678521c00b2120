"""What can go wrong. A program that does not lead, or cannot ask its agent, is no error where the answer says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .jobs import JobRecord


class Unreachable(ConnectionError):
    """The agent did not answer: it does not run, it starts again, or it is too busy."""


class AgentError(Exception):
    """The agent refused a request. `code` is for programs and stays; `detail` and `advice` are for people."""

    def __init__(self, status: int, code: str, detail: str, advice: str) -> None:
        super().__init__(f"{detail} ({code}): {advice}" if advice else f"{detail} ({code})")
        self.status = status
        self.code = code
        self.detail = detail
        self.advice = advice

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later. A wrong token or an unknown office stays wrong."""
        return self.status >= 500 or (self.status in (408, 409, 429) and self.code != "BAD_LEASE")


class NotLeading(Exception):
    """This program must not work now: its agent does not lead, or its promise has passed."""


class JobFailed(Exception):
    """A job has failed as often as it may. The last error of this program, if there is one, is the cause."""

    def __init__(self, record: JobRecord, cause: Optional[BaseException]) -> None:
        at = record.name or "another member"
        super().__init__(f'the job "{record.key}" has failed {record.failures} times, the last time at {at}')
        self.record = record
        self.__cause__ = cause
