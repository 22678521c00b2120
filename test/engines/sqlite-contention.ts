/** What processes said that contended for one seat of a file, and whether two of them had it at the same time. */
export const CONTENDED_TTL = 150;

interface Tenure {
  readonly token: number;
  readonly sent: number;
  readonly got: number;
  /** Before its release left; missing where the process was killed. */
  ended?: number;
}

export function tenuresIn(lines: readonly string[]): Tenure[] {
  const tenures = new Map<number, Tenure>();
  for (const line of lines) {
    const said = JSON.parse(line) as Partial<Tenure> & { token: number };
    if (said.ended === undefined) {
      if (tenures.has(said.token)) throw new Error(`token ${said.token} was given twice`);
      tenures.set(said.token, said as Tenure);
    } else {
      tenures.get(said.token)!.ended = said.ended;
    }
  }
  return [...tenures.values()].sort((a, b) => a.token - b.token);
}

/** Pairs of neighbours of which the second had the seat before the first was over. */
export function overlaps(tenures: readonly Tenure[]): (readonly [Tenure, Tenure])[] {
  return tenures
    .slice(1)
    .map((next, index) => [tenures[index], next] as const)
    .filter(([before, next]) => next.got < (before.ended ?? before.sent + CONTENDED_TTL));
}
