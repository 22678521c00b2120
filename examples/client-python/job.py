"""
A job in Python that works only while the agent beside it leads, and whose writes no former leader can make late.

    python3 job.py NAME --agent http://127.0.0.1:7070 --token-file http.token --guard-key guard.key --group jobs [--rows 40]

Needs nothing but Python 3.8. Ends when the table has that many rows, whoever wrote them.
"""
import argparse
import base64
import hashlib
import hmac
import json
import re
import sqlite3
import time
import urllib.error
import urllib.request


class Agent:
    """The agent beside this program, which is asked over HTTP."""

    def __init__(self, url, token_file):
        self.url = url.rstrip("/")
        self.token_file = token_file

    def lease(self):
        """What the agent holds now: {"token", "fence", "until"}; None while it does not lead, or cannot be asked."""
        # Both clocks, read before the request: what the agent promises counts from here. A machine that was suspended stops the
        # monotonic one, and somebody may set the other.
        before = (time.monotonic(), time.time())
        with open(self.token_file) as file:
            headers = {"Authorization": "Bearer " + file.read().strip()}
        try:
            request = urllib.request.Request(self.url + "/v1/fence", headers=headers)
            with urllib.request.urlopen(request, timeout=1) as answer:
                held = json.load(answer)
        except (OSError, ValueError):  # HTTPError and URLError are OSErrors: 409 says that the agent does not lead
            return None
        valid = held["validForMs"] / 1000
        return {"token": int(held["token"]), "fence": held["fence"], "until": [clock + valid for clock in before]}


def is_valid(lease):
    """Whether nobody else can lead yet, by both clocks as they are now."""
    return lease is not None and time.monotonic() < lease["until"][0] and time.time() < lease["until"][1]


# What follows is docs/guards.md, "Other languages": the database remembers the newest leader, and refuses older ones.

GUARDS = """CREATE TABLE IF NOT EXISTS sortition_guards (
  group_name TEXT NOT NULL, seat TEXT NOT NULL, token INTEGER NOT NULL, lease TEXT NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (group_name, seat))"""

ADMIT = """INSERT INTO sortition_guards AS kept (group_name, seat, token, lease, version) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (group_name, seat) DO UPDATE SET token = excluded.token, lease = excluded.lease, version = excluded.version
WHERE kept.token < excluded.token OR (kept.token = excluded.token AND kept.lease = excluded.lease)
RETURNING seat"""


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def name(text):
    return re.sub(rb"_([0-9A-F]{2})", lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode()


def admit(database, fence, group, seat, key_file):
    """First in a transaction (BEGIN IMMEDIATE); raises where the fence is refused: roll back."""
    signed, _, mac = fence.rpartition("~")
    with open(key_file) as file:
        lines = [line.split("~") for line in file.read().split("\n") if line.startswith("guard~")]
    keys = [decoded(key) for _, of, key in lines if name(of) == group]
    macs = [hmac.new(key, signed.encode(), hashlib.sha256).digest()[:16] for key in keys]
    if not any(hmac.compare_digest(own, decoded(mac)) for own in macs):
        raise PermissionError("no key has signed this fence")
    _, token, its_group, its_seat, lease = signed.split("~")
    if (name(its_group), name(its_seat)) != (group, seat):
        raise PermissionError("the fence is of another seat")
    if not database.execute(ADMIT, (group, seat, int(token), name(lease))).fetchall():
        raise PermissionError("a newer leader has been here")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--agent", default="http://127.0.0.1:7070")
    parser.add_argument("--token-file", default="http.token")
    parser.add_argument("--guard-key", default="guard.key")
    parser.add_argument("--group", default="jobs")
    parser.add_argument("--rows", type=int, default=40)
    given = parser.parse_args()

    agent = Agent(given.agent, given.token_file)
    database = sqlite3.connect("app.db", timeout=5, isolation_level=None)
    database.execute(GUARDS)
    database.execute("CREATE TABLE IF NOT EXISTS runs (number INTEGER, by TEXT, token INTEGER)")

    def count():
        return database.execute("SELECT count(*) FROM runs").fetchone()[0]

    token = None
    while count() < given.rows:
        lease = agent.lease()
        if lease is None:
            time.sleep(0.2)
            continue
        if lease["token"] != token:
            token = lease["token"]
            print(f"{given.name} works with token {token}", flush=True)
        time.sleep(0.05)  # the work itself; long work asks its agent again in between
        # For what no guard protects, such as a mail, this look is all there is. It may be true one moment too long.
        if not is_valid(lease):
            continue
        try:
            database.execute("BEGIN IMMEDIATE")
            admit(database, lease["fence"], given.group, "leader", given.guard_key)
            # Counted after the guard has seen this leader's token: nobody else can write a row from here on.
            number = count() + 1
            if number <= given.rows:
                database.execute("INSERT INTO runs VALUES (?, ?, ?)", (number, given.name, lease["token"]))
            database.execute("COMMIT")
        except PermissionError as refusal:
            database.execute("ROLLBACK")
            print(f"{given.name} is refused: {refusal}", flush=True)
    print(f"{given.name} ends; {count()} rows", flush=True)


if __name__ == "__main__":
    main()
