"""Requests to the agent. Each one has a connection of its own, so an agent that was restarted is simply asked again."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
from typing import Any, Dict, Mapping, Optional
from urllib.parse import urlsplit

from .errors import AgentError, Unreachable

DEFAULT_AGENT = "http://127.0.0.1:7070"

Json = Dict[str, Any]


class UnixConnection(http.client.HTTPConnection):
    """HTTP at a Unix socket, unix:PATH."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Connections:
    def __init__(
        self,
        url: Optional[str],
        token: Optional[str],
        token_file: Optional[str],
        ca_file: Optional[str],
        timeout: float,
    ) -> None:
        self.url = (url or os.environ.get("SORTITION_AGENT") or DEFAULT_AGENT).rstrip("/")
        self._socket = self.url[len("unix:") :] if self.url.startswith("unix:") else None
        parts = urlsplit("http://localhost" if self._socket else self.url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f'"{self.url}" is no address of an agent: give one such as {DEFAULT_AGENT}')
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._path = parts.path
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
        self._token = token
        self._token_file = token_file
        if token is None and token_file is None:
            self._token = os.environ.get("SORTITION_HTTP_TOKEN") or None
            self._token_file = os.environ.get("SORTITION_HTTP_TOKEN_FILE") or None
        self.timeout = timeout

    def open(self, timeout: float) -> http.client.HTTPConnection:
        if self._socket is not None:
            return UnixConnection(self._socket, timeout)
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)

    def path(self, path: str) -> str:
        return self._path + path

    def headers(self) -> Dict[str, str]:
        token = self._token
        if token is None and self._token_file is not None:
            # Read each time: the file may be replaced while this program runs.
            with open(self._token_file, encoding="utf-8") as file:
                token = file.read().strip()
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    def ask(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, timeout: Optional[float] = None
    ) -> Json:
        """The answer. Raises `AgentError` if the agent refuses, and `Unreachable` if it does not answer."""
        headers = self.headers()
        sent = None
        if body is not None:
            sent = json.dumps({name: value for name, value in body.items() if value is not None})
            headers["Content-Type"] = "application/json"
        connection = self.open(self.timeout if timeout is None else timeout)
        try:
            connection.request(method, self.path(path), sent, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"the agent at {self.url} does not answer: {error}") from error
        finally:
            connection.close()
        if not isinstance(answer, dict):
            raise Unreachable(f"what answers at {self.url} is no agent")
        if response.status >= 400:
            raise refusal(response.status, answer)
        return answer


def refusal(status: int, answer: Json) -> AgentError:
    said = {name: str(answer.get(name, "")) for name in ("code", "detail", "advice")}
    return AgentError(status, said["code"] or str(status), said["detail"] or "the agent refuses", said["advice"])
