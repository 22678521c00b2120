"""What happens in the group, as it happens. A stream that was cut off goes on where it was."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Iterator, Mapping, Optional, Type

from .connection import Connections, refusal
from .errors import AgentError
from .leading import log

#: Seconds: the agent shows every ten that the connection lives.
SILENCE = 25.0
#: Seconds before the agent is asked again.
RETRY = 1.0


@dataclass(frozen=True)
class Event:
    """One event of docs/events.md; `status` comes first, and again after a gap."""

    name: str
    data: Mapping[str, Any]
    id: str


class EventStream:
    """
    An endless iterator. If the agent ends or cannot be reached, it waits, and resumes after the last event that was read.
    If the agent does not have those events any more, `status` comes with `data["gap"]`. `close()` ends it, from any thread.
    """

    def __init__(self, connections: Connections, after: Optional[str]) -> None:
        self._connections = connections
        self._closed = threading.Event()
        self._connection: Optional[http.client.HTTPConnection] = None
        #: The id of the last event that was read.
        self.last_id = after
        self._events = self._read()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()
        connection = self._connection
        sock = None if connection is None else connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _read(self) -> Iterator[Event]:
        while not self._closed.is_set():
            connection = self._connections.open(SILENCE)
            self._connection = connection
            try:
                yield from self._of(connection)
            except (OSError, http.client.HTTPException, ValueError) as error:
                log.debug("the events of %s are cut off: %s", self._connections.url, error)
            except AgentError as error:
                if not error.is_passing:
                    raise
            finally:
                connection.close()
            self._closed.wait(RETRY)

    def _of(self, connection: http.client.HTTPConnection) -> Iterator[Event]:
        headers = self._connections.headers()
        if self.last_id is not None:
            headers["Last-Event-ID"] = self.last_id
        connection.connect()
        # The connection gives its socket away to the answer, and close() needs it.
        sock = connection.sock
        connection.request("GET", self._connections.path("/v1/events"), headers=headers)
        response = connection.getresponse()
        connection.sock = sock
        if response.status != 200:
            raise refusal(response.status, json.loads(response.read()))
        fields: Dict[str, str] = {}
        for line in response:
            text = line.decode("utf-8").rstrip("\r\n")
            name, _, value = text.partition(":")
            if text != "":
                if name != "":
                    fields[name] = value[1:] if value.startswith(" ") else value
                continue
            if "data" in fields:
                event = Event(fields.get("event", "message"), json.loads(fields["data"]), fields.get("id", ""))
                self.last_id = event.id or self.last_id
                # The agent ends: the next one to answer has other events.
                yield event
            fields = {}
