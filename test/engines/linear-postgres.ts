/** Histories on a real PostgreSQL: several connections through a proxy, a clock that the test turns, a server that is killed. */
import { postgresEngine } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { contentsSql } from "../../src/live/engines/postgres-tables.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { HostStream } from "../../src/random/streams.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import { Caller } from "./linear-caller.ts";
import type { Step } from "./linear-checker.ts";
import { FaultyProxy, HONEST, type Manners } from "./linear-proxy.ts";
import { converse, record } from "./linear-recorder.ts";

export const BEGIN = 1_000_000;

/** Reading it takes a while, with all locks held: the longer, the more requests meet in there. */
const CLOCK = `
CREATE TABLE linear.controls (now bigint);
INSERT INTO linear.controls VALUES (${BEGIN});
CREATE OR REPLACE FUNCTION linear.sortition_now() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE reading bigint := (SELECT now FROM linear.controls);
BEGIN
  PERFORM pg_sleep(random() * 0.004);
  RETURN reading;
END $$;
`;

export interface Plan {
  readonly seed: number;
  readonly members: number;
  readonly requests: number;
  readonly manners?: Manners;
  /** Whether the server is killed in the middle, and started again. */
  readonly kills?: boolean;
}

/** `spoil`: the SQL of the engine, with a fault in it. */
export async function makeTables(server: PostgresServer, spoil = (sql: string) => sql): Promise<void> {
  await server.sql("DROP SCHEMA IF EXISTS linear CASCADE; CREATE SCHEMA linear");
  await server.sql(spoil(contentsSql("linear")) + CLOCK);
}

export async function postgresHistory(server: PostgresServer, plan: Plan): Promise<Step[]> {
  await server.sql(
    `UPDATE linear.controls SET now = ${BEGIN}; DELETE FROM linear.sortition_groups;
    DELETE FROM linear.sortition_sessions; DELETE FROM linear.sortition_seats; DELETE FROM linear.sortition_records`,
  );
  const proxy = await FaultyProxy.to(server.port, new HostStream(plan.seed, 0, "losses"));
  // A proxy takes connections also where the server is down: who was not reached would not know it.
  const port = plan.kills === true ? server.port : proxy.port;
  const url = `postgres://${server.user}@127.0.0.1:${port}/postgres?schema=linear`;
  const address = postgresAddress(url, { PGPASSWORD: server.password });
  const engines = await Promise.all(
    Array.from({ length: plan.members }, () =>
      postgresEngine({ address, group: "g", requestTimeout: 3000, migrate: false, world: realWorld }),
    ),
  );
  proxy.manners = plan.manners ?? HONEST;
  const draws = new HostStream(plan.seed, 0, "crashes");
  let [asked, isOver] = [0, false];

  const members = engines.map((engine, index) =>
    converse(new Caller(index + 1, plan.seed), plan.requests, (request) => {
      asked++;
      return engine.ask(request).catch(async (error: Error) => {
        // While the server is down: it was not reached, and is asked less often.
        await pause(10);
        return /nothing listens|is starting/.test(error.message) ? undefined : null;
      });
    }),
  );

  async function turning(): Promise<Step[]> {
    const steps: Step[] = [];
    let now = BEGIN;
    for (;;) {
      // In step with the requests, however quick the machine is.
      for (const before = asked; asked < before + 3 && !isOver; ) await pause(1);
      if (isOver) return steps;
      const by = 10 * (1 + draws.choose(6));
      now += by;
      steps.push((await record({ kind: "turn", by }, () => turnTo(server, now)))!);
    }
  }

  async function killing(): Promise<Step[]> {
    if (plan.kills !== true) return [];
    // In the middle of what is asked, however quick the machine is.
    while (asked < (plan.members * plan.requests) / 4) await pause(1);
    const step = await record({ kind: "restart" }, async () => {
      await server.kill();
      await server.start();
      return null;
    });
    return [step!];
  }

  const answered = Promise.all(members).then((steps) => {
    isOver = true;
    return steps.flat();
  });
  try {
    const [steps, turns, kills] = await Promise.all([answered, turning(), killing()]);
    return [...steps.map((step) => endedBy(kills, step)), ...turns, ...kills];
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await proxy.close();
  }
}

/** What a server had begun when it was killed has happened before it was up again, or never. */
function endedBy(kills: readonly Step[], step: Step): Step {
  const kill = kills.find(({ from, to }) => step.answer === null && step.from < from && step.to > to);
  return kill === undefined ? step : { ...step, to: kill.to };
}

/** Until it has certainly happened, whatever happens to the server meanwhile. */
async function turnTo(server: PostgresServer, now: number): Promise<null> {
  for (;;) {
    try {
      await server.sql(`UPDATE linear.controls SET now = ${now}`);
      return null;
    } catch {
      await pause(10);
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
