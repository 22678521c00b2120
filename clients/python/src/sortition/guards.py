"""
Guards: a database that remembers the newest leader and refuses older ones. docs/guards.md of Sortition has the rule; guards of
Python and of Node share their table.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Tuple

#: The header that carries a fence to a service that has a guard.
FENCE_HEADER = "Sortition-Fence"

_KEY_BYTES = 32
_MAC_BYTES = 16
_LONGEST_TEXT = 1024
_LONGEST_NAME = 160
_HIGHEST = 2**63 - 1


class FenceRefused(Exception):
    """
    Nothing was written. `code`: missing, malformed, forged (no key has signed it), foreign (of another seat), old (a newer leader
    has been here) or rival (another lease with the same token has been here).
    """

    def __init__(self, code: str, message: str, newest: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        #: The newest token that the guard has seen, for old and rival.
        self.newest = newest


@dataclass(frozen=True)
class Fence:
    """What a fence says."""

    group: str
    seat: str
    token: int
    lease: str


class GuardKeys:
    """The keys that verify the fences of one group. Every key of the file verifies, so keys can be replaced."""

    def __init__(self, group: str, keys: Sequence[bytes]) -> None:
        self.group = group
        self._keys = list(keys)

    @staticmethod
    def load(file: str, group: str) -> "GuardKeys":
        """Reads what `sortition keygen --guard GROUP` wrote."""
        with open(file, encoding="utf-8") as opened:
            return GuardKeys.parse(opened.read(), group, file)

    @staticmethod
    def parse(text: str, group: str, source: str = "the text") -> "GuardKeys":
        keys = []
        for number, line in enumerate(text.split("\n"), 1):
            line = line.strip()
            if line == "" or line.startswith("#"):
                continue
            parts = line.split("~")
            key = _decoded(parts[2]) if len(parts) == 3 and parts[0] == "guard" else None
            name = _name(parts[1]) if key is not None else None
            if key is None or len(key) != _KEY_BYTES or name is None:
                raise ValueError(f'{source}, line {number} is no guard key: make one with "sortition keygen --guard"')
            if name == group:
                keys.append(key)
        if not keys:
            raise ValueError(
                f'{source} has no guard key of the group "{group}": make one with "sortition keygen --guard"'
            )
        return GuardKeys(group, keys)

    def verify(self, seat: str, text: Optional[str]) -> Fence:
        """Raises `FenceRefused`."""
        if not text:
            raise FenceRefused("missing", f'only the leader "{seat}" of the group "{self.group}" may do this: send its fence')
        fence, mac = _parsed(text)
        signed = text[: text.rindex("~")].encode()
        # All keys are tried, so the time says nothing about which one fits.
        fits = [hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest()[:_MAC_BYTES], mac) for key in self._keys]
        if not any(fits) or fence.group != self.group:
            raise FenceRefused("forged", f'no key of the guards of the group "{self.group}" has signed this fence')
        if fence.seat != seat:
            raise FenceRefused("foreign", f'this fence is one of "{fence.seat}", not of "{seat}"')
        return fence


def _decoded(text: str) -> Optional[bytes]:
    """base64url without padding, in its one form."""
    try:
        found = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return found if base64.urlsafe_b64encode(found).rstrip(b"=").decode() == text else None


def _name(word: str) -> Optional[str]:
    if re.fullmatch(r"(?:[A-Za-z0-9.-]|_[0-9A-F]{2})+", word) is None:
        return None
    found = re.sub(rb"_(..)", lambda match: bytes.fromhex(match[1].decode()), word.encode())
    try:
        name = found.decode("utf-8")
    except UnicodeDecodeError:
        return None
    written = re.sub(rb"[^A-Za-z0-9.-]", lambda match: b"_%02X" % match[0][0], found).decode()
    return name if len(found) <= _LONGEST_NAME and written == word else None


def _parsed(text: str) -> Tuple[Fence, bytes]:
    def bad(why: str) -> FenceRefused:
        return FenceRefused("malformed", f"this is no fence: {why}")

    if len(text) > _LONGEST_TEXT:
        raise bad(f"it has more than {_LONGEST_TEXT} characters")
    parts = text.split("~")
    if parts[0] != "s1":
        raise bad('it does not begin with "s1"')
    if len(parts) != 6:
        raise bad("it does not have six parts")
    token = int(parts[1]) if re.fullmatch(r"[1-9][0-9]{0,18}", parts[1]) else 0
    if not 1 <= token <= _HIGHEST:
        raise bad("its token is no number from 1 to 2^63 - 1")
    group, seat, lease = (_name(part) for part in parts[2:5])
    if group is None or seat is None or lease is None:
        raise bad("its names are not written as they should be")
    mac = _decoded(parts[5])
    if mac is None or len(mac) != _MAC_BYTES:
        raise bad("its MAC is not one of 16 bytes")
    return Fence(group, seat, token, lease), mac


def _refusal(newest: Tuple[int, str], fence: Fence) -> FenceRefused:
    token = newest[0]
    if token == fence.token:
        return FenceRefused("rival", f'another lease of "{fence.seat}" with token {token} has been here', token)
    return FenceRefused("old", f'"{fence.seat}" with token {token} has been here, and {fence.token} is older', token)


_ADMIT = """INSERT INTO sortition_guards AS kept (group_name, seat, token, lease, version) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (group_name, seat) DO UPDATE SET token = excluded.token, lease = excluded.lease, version = excluded.version
WHERE kept.token < excluded.token OR (kept.token = excluded.token AND kept.lease = excluded.lease)
RETURNING """

_NEWEST = "SELECT CAST(token AS text) AS token, lease FROM sortition_guards WHERE (group_name, seat) = (?, ?)"

_TABLE = """CREATE TABLE IF NOT EXISTS sortition_guards (
  group_name text NOT NULL,
  seat text NOT NULL,
  token %s NOT NULL,
  lease text NOT NULL,
  version %s NOT NULL CHECK (version = 1),
  PRIMARY KEY (group_name, seat)
)%s"""

#: A commit that a crash of the server can undo would let an older leader in again.
_DURABLE = """set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)"""


class SqliteGuard:
    """Lets only the newest leader of a seat write to a SQLite database (of SQLite 3.37 or later)."""

    admit_sql = _ADMIT + "seat"
    newest_sql = _NEWEST
    table_sql = _TABLE % ("integer", "integer", " STRICT")

    def __init__(self, keys: GuardKeys, seat: str) -> None:
        self.keys = keys
        self.seat = seat

    @contextmanager
    def guarded(self, database: sqlite3.Connection, fence: Optional[str]) -> Iterator[Fence]:
        """
        `with guard.guarded(database, lead.fence):` is a transaction that only the newest leader gets through. It is committed at the
        end of the block, and rolled back after an error. Raises `FenceRefused`.
        """
        if database.in_transaction:
            raise sqlite3.ProgrammingError("a transaction is open already: commit it first, or call admit in it")
        verified = self.keys.verify(self.seat, fence)
        (synchronous,) = database.execute("PRAGMA synchronous").fetchone()
        if synchronous < 2:
            database.execute("PRAGMA synchronous = FULL")
        try:
            database.execute(self.table_sql)
            database.execute("BEGIN IMMEDIATE")
            try:
                self._admit(database, verified)
                yield verified
                if not database.in_transaction:
                    # Of a full disk, or of a commit inside the block: what came after it was not guarded.
                    raise sqlite3.OperationalError("the guarded transaction has ended inside its block")
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
        finally:
            if synchronous < 2:
                database.execute(f"PRAGMA synchronous = {int(synchronous)}")

    def admit(self, database: sqlite3.Connection, fence: Optional[str]) -> Fence:
        """As the first statement of your own transaction, begun with BEGIN IMMEDIATE. After `FenceRefused`, roll back."""
        return self._admit(database, self.keys.verify(self.seat, fence))

    def _admit(self, database: sqlite3.Connection, fence: Fence) -> Fence:
        row = (fence.group, fence.seat, fence.token, fence.lease)
        if database.execute(self.admit_sql, row).fetchall():
            return fence
        token, lease = database.execute(self.newest_sql, row[:2]).fetchone()
        raise _refusal((int(token), lease), fence)


class PostgresGuard:
    """
    Lets only the newest leader of a seat write to a PostgreSQL database, over a connection of psycopg or another driver of the
    DB-API whose parameters are `%s`. `idle` seconds after its last statement the server ends a transaction of a paused leader.
    """

    admit_sql = (_ADMIT + _DURABLE).replace("?", "%s")
    newest_sql = _NEWEST.replace("?", "%s")
    table_sql = _TABLE % ("bigint", "smallint", "")

    def __init__(self, keys: GuardKeys, seat: str, *, idle: float = 5.0) -> None:
        self.keys = keys
        self.seat = seat
        self._idle = round(idle * 1000)

    @contextmanager
    def guarded(self, connection: Any, fence: Optional[str]) -> Iterator[Any]:
        """
        `with guard.guarded(connection, lead.fence) as cursor:` is a transaction that only the newest leader gets through. The
        connection must not be in autocommit mode, nor inside a transaction. Raises `FenceRefused`.
        """
        if getattr(connection, "autocommit", False):
            raise ValueError("the connection commits every statement by itself: set autocommit to False")
        verified = self.keys.verify(self.seat, fence)
        cursor = connection.cursor()
        try:
            if self._idle > 0:
                cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = {self._idle}")
            self._admit(cursor, verified)
            yield cursor
            # Raises if a statement has failed: such a transaction takes COMMIT for ROLLBACK, without an error.
            cursor.execute("SELECT 1")
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        finally:
            cursor.close()

    def prepare(self, connection: Any) -> None:
        """Makes the table if it is missing."""
        cursor = connection.cursor()
        cursor.execute(self.table_sql)
        connection.commit()
        cursor.close()

    def admit(self, cursor: Any, fence: Optional[str]) -> Fence:
        """As the first statement of your own transaction. After `FenceRefused`, roll back."""
        return self._admit(cursor, self.keys.verify(self.seat, fence))

    def _admit(self, cursor: Any, fence: Fence) -> Fence:
        row = (fence.group, fence.seat, fence.token, fence.lease)
        cursor.execute(self.admit_sql, row)
        if cursor.fetchall():
            return fence
        cursor.execute(self.newest_sql, row[:2])
        token, lease = cursor.fetchone()
        raise _refusal((int(token), lease), fence)
