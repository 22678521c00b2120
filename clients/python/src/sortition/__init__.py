"""A client of the Sortition agent: leading, jobs that run once, events, and guards. It needs nothing but Python."""

from .agent import Agent, Leader
from .errors import AgentError, JobFailed, NotLeading, Unreachable
from .events import Event, EventStream
from .jobs import Job, JobDone, JobRecord
from .leading import Lead

__all__ = [
    "Agent",
    "AgentError",
    "Event",
    "EventStream",
    "Job",
    "JobDone",
    "JobFailed",
    "JobRecord",
    "Lead",
    "Leader",
    "NotLeading",
    "Unreachable",
]
