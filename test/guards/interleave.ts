/** Every order in which the statements of several writers can reach a database, each order run from the start. */

/** `blocked`: it waits for another writer inside the database, and goes on by itself once it can. */
export type Standing = "ready" | "blocked" | "done";

export interface Writer {
  /** Lets the next statement through; called while it is ready. */
  step(): Promise<void>;
  standing(): Promise<Standing>;
}

/** Runs `begin` once for each order, with `check` at the end of each; gives the number of orders back. */
export async function everyOrder<Run extends { readonly writers: readonly Writer[] }>(
  begin: () => Promise<Run>,
  check: (run: Run, order: readonly number[]) => void | Promise<void>,
): Promise<number> {
  const open: number[][] = [[]];
  let orders = 0;
  for (let prefix = open.pop(); prefix !== undefined; prefix = open.pop()) {
    const run = await begin();
    const order: number[] = [];
    for (;;) {
      const standings: Standing[] = [];
      for (const writer of run.writers) standings.push(await writer.standing());
      const ready = run.writers.flatMap((_, index) => (standings[index] === "ready" ? [index] : []));
      if (ready.length === 0) {
        if (standings.includes("blocked")) throw new Error(`nobody can go on after ${order.join(" ")}`);
        break;
      }
      const taken = prefix[order.length] ?? ready[0];
      if (order.length >= prefix.length) {
        for (const other of ready.slice(1)) open.push([...order, other]);
      }
      order.push(taken);
      await run.writers[taken].step();
      // Before the others are asked: they may wait for what it is doing.
      await run.writers[taken].standing();
    }
    await check(run, order);
    orders++;
  }
  return orders;
}

/** A gate before each statement of an asynchronous writer. */
export class Gate {
  private open: (() => void) | null = null;
  private ended = false;

  /** Called by the writer before each statement. */
  pass = (): Promise<void> => {
    return new Promise((resolve) => {
      this.open = resolve;
    });
  };

  end(): void {
    this.ended = true;
  }

  step(): void {
    const open = this.open!;
    this.open = null;
    open();
  }

  /** Null while a statement is under way. */
  get standing(): "ready" | "done" | null {
    if (this.ended) return "done";
    return this.open === null ? null : "ready";
  }
}
