/** A writer to PostgreSQL that stops before each statement. */
import type pg from "pg";
import type { PostgresClient, PostgresGuard } from "../../src/live/guards/postgres.ts";
import { Gate, type Standing, type Writer } from "./interleave.ts";
import { type Outcome, outcomeOf } from "./leaders.ts";
import { fence, type Lease } from "./lease-fences.ts";

export const LEDGER = "CREATE TABLE ledger (number serial PRIMARY KEY, token bigint NOT NULL, lease text NOT NULL)";

/** What a leader does in its transaction: two statements, so that others can come between them. */
export const write =
  ({ token, lease }: Lease) =>
  async (client: PostgresClient): Promise<void> => {
    await client.query("SELECT count(*) FROM ledger");
    await client.query("INSERT INTO ledger (token, lease) VALUES ($1, $2)", [token, lease]);
  };

export class PostgresWriter implements Writer {
  readonly outcome: Promise<Outcome>;
  private readonly gate = new Gate();
  private readonly client: pg.Client;
  private readonly watcher: pg.Client;

  /** `planted` may change a statement on its way; `watcher` is a connection to ask who waits for whom. */
  constructor(
    client: pg.Client,
    watcher: pg.Client,
    guard: PostgresGuard,
    lease: Lease,
    planted: (text: string) => string = (text) => text,
  ) {
    this.client = client;
    this.watcher = watcher;
    const { gate } = this;
    const stopping: PostgresClient = {
      async query(text, values) {
        await gate.pass();
        return client.query(planted(text), values);
      },
    };
    this.outcome = outcomeOf(() => guard.guarded(stopping, fence(lease), write(lease)));
    this.outcome.then(
      () => gate.end(),
      () => gate.end(),
    );
  }

  async step(): Promise<void> {
    this.gate.step();
  }

  async standing(): Promise<Standing> {
    for (;;) {
      if (this.gate.standing !== null) return this.gate.standing;
      const { rows } = await this.watcher.query("SELECT cardinality(pg_blocking_pids($1)) AS blockers", [
        (this.client as unknown as { processID: number }).processID,
      ]);
      if (rows[0].blockers > 0) return this.gate.standing ?? "blocked";
    }
  }
}
