import { afterAll, beforeAll } from "vitest";
import { notTested } from "./not-tested.ts";
import { PostgresServer } from "./postgres-server.ts";

/**
 * Defines tests that share one real PostgreSQL, to be awaited at the top level of their file. Where it cannot run, the last lines
 * of the run say what was not tested and why (reporter.ts); under CI that is a failure. `settings`: "name=value" of postgresql.conf.
 */
export async function withPostgres(
  what: string,
  tests: (server: PostgresServer) => void | Promise<void>,
  settings: readonly string[] = [],
): Promise<void> {
  let server: PostgresServer;
  try {
    server = await PostgresServer.create(settings);
  } catch (error) {
    const why = String((error as Error).message).split("\n")[0];
    return notTested(what, `no PostgreSQL runs here: ${why}`);
  }
  afterAll(() => server.remove());
  await tests(server);
}

/** Processes that the tests of this file start take the password from the environment, which other files share. */
export function passwordInEnvironment({ password }: PostgresServer): void {
  beforeAll(() => {
    process.env.PGPASSWORD = password;
  });
  afterAll(() => {
    delete process.env.PGPASSWORD;
  });
}
