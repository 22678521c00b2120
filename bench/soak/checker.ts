/**
 * What agents have promised and what their programs have written, held against each other. It shares no code with the program
 * that it checks: it knows answers, times of one monotonic clock in milliseconds, and rows.
 */

/** An answer with `validForMs` above 0. The agent made it between `sent` and `got`; it counts from `sent` until it has run out. */
interface Promised {
  readonly kind: "promise";
  readonly member: string;
  /** How often the member's process had been started. */
  readonly life: number;
  readonly sent: number;
  readonly got: number;
  readonly token: string;
  readonly validForMs: number;
}

/** A guarded write. `until`: when the promise that came with the fence has run out. "unknown": it failed, and may be there or not. */
interface Wrote {
  readonly kind: "write";
  readonly id: string;
  readonly got: number;
  readonly until: number;
  readonly outcome: "written" | "refused" | "unknown";
}

/** All rows since the last time, in the order of their commits, read from `sent` on: the counter, who wrote with which token. */
interface Rows {
  readonly kind: "rows";
  readonly sent: number;
  readonly rows: readonly (readonly [value: number, token: string, id: string])[];
}

/** After a time without faults: whom each member takes for the leader, and which members say that they lead. */
interface Quiet {
  readonly kind: "quiet";
  readonly at: number;
  readonly known: readonly (string | null)[];
  readonly leading: readonly string[];
}

export type Happened = Promised | Wrote | Rows | Quiet;

/** Milliseconds: no request takes longer from its sending to its answer. */
const LONGEST_REQUEST = 10_000;

export class Checker {
  /** By holder: when the last of its promises runs out. */
  private readonly ends = new Map<string, { end: number; token: bigint }>();
  private readonly holders = new Map<bigint, string>();
  private lately: { got: number; token: bigint }[] = [];
  /** Of promises before those. */
  private highest = 0n;
  private readonly written = new Set<string>();
  private readonly refused = new Set<string>();
  /** Written, and not read yet. */
  private readonly owed = new Map<string, number>();
  private value = 0;
  private token = 0n;

  /** What is wrong, in words; nothing, where all is as promised. */
  take(it: Happened): string[] {
    if (it.kind === "promise") return this.promise(it);
    if (it.kind === "write") return this.write(it);
    if (it.kind === "rows") return this.rows(it);
    return quiet(it);
  }

  /**
   * The caller relies on the answer from `got`, since before it has no answer, until `validForMs` after `sent`. Answers come in
   * the order of `got`, so that a former promise that has not run out by then overlaps with this one, unless this one was late.
   */
  private promise({ member, life, sent, got, token: text, validForMs }: Promised): string[] {
    const wrong: string[] = [];
    const holder = `${member} (life ${life})`;
    const token = BigInt(text);
    const end = sent + validForMs;
    if (got < end) {
      for (const [other, last] of this.ends) {
        if (last.end <= got) this.ends.delete(other);
        else if (other !== holder)
          wrong.push(
            `two leaders: ${other} with token ${last.token} and ${holder} with token ${token}, for ${Math.min(end, last.end) - got} ms`,
          );
      }
      this.ends.set(holder, { end: Math.max(end, this.ends.get(holder)?.end ?? 0), token });
    }
    const known = this.holders.get(token);
    if (known === undefined) this.holders.set(token, holder);
    else if (known !== holder) wrong.push(`one token for two: ${known} and ${holder} have ${token}`);
    // An answer that was there before the request for this one was sent is older than this one.
    let before = this.highest;
    for (const one of this.lately) if (one.got < sent && one.token > before) before = one.token;
    if (token < before) wrong.push(`a token went back: ${holder} has ${token} after ${before}`);
    this.lately.push({ got, token });
    while (this.lately[0].got < got - LONGEST_REQUEST) {
      const [oldest] = this.lately.splice(0, 1);
      if (oldest.token > this.highest) this.highest = oldest.token;
    }
    return wrong;
  }

  private write({ id, got, until, outcome }: Wrote): string[] {
    if (outcome === "refused") {
      this.refused.add(id);
      if (this.written.has(id)) return [`refused and written: ${id}`];
      if (got <= until) return [`refused under a promise: ${id}, ${(until - got).toFixed(0)} ms before its end`];
    }
    if (outcome === "written" && !this.written.has(id)) this.owed.set(id, got);
    return [];
  }

  private rows({ sent, rows }: Rows): string[] {
    const wrong: string[] = [];
    for (const [value, text, id] of rows) {
      const token = BigInt(text);
      if (value !== this.value + 1) wrong.push(`the counter went from ${this.value} to ${value} with ${id}`);
      if (token < this.token)
        wrong.push(`an older leader wrote after a newer: ${id} with ${token} after ${this.token}`);
      if (this.written.has(id)) wrong.push(`written twice: ${id}`);
      if (this.refused.has(id)) wrong.push(`refused and written: ${id}`);
      this.value = value;
      this.token = token;
      this.written.add(id);
      this.owed.delete(id);
    }
    for (const [id, got] of this.owed) {
      if (got >= sent) continue;
      wrong.push(`acknowledged and lost: ${id}`);
      this.owed.delete(id);
    }
    return wrong;
  }
}

function quiet({ known, leading }: Quiet): string[] {
  const isOne = leading.length === 1 && known.every((name) => name === leading[0]);
  return isOne ? [] : [`no one leader in quiet: leading ${leading.join(", ") || "nobody"}, known ${known.join(", ")}`];
}
