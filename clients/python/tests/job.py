"""Two agents, each with this program beside it: the program whose agent leads writes one row at a time."""
import sqlite3
import sys

from sortition import Agent
from sortition.guards import FenceRefused, GuardKeys, SqliteGuard

name, url, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
agent = Agent(url, token_file="http.token")
guard = SqliteGuard(GuardKeys.load("guard.key", "jobs"), "leader")
database = sqlite3.connect("app.db", timeout=5)
database.execute("CREATE TABLE IF NOT EXISTS runs (number integer, by text, token integer)")


def count():
    return database.execute("SELECT count(*) FROM runs").fetchone()[0]


def write(lead):
    with guard.guarded(database, lead.fence):
        # Counted inside the transaction: no other leader can write from here on.
        number = count() + 1
        if number <= rows:
            database.execute("INSERT INTO runs VALUES (?, ?, ?)", (number, name, lead.token))


while count() < rows:
    with agent.lead("leader") as lead:
        print(f"{name} works with token {lead.token}", flush=True)
        while lead.wait(0.05) and count() < rows:
            try:
                write(lead)
            except FenceRefused as refused:
                print(f"{name} is refused: {refused}", flush=True)
print(f"{name} ends; {count()} rows", flush=True)
