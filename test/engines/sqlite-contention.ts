/** What processes said that contended for one seat of a file, and whether two of them had it at the same time. */
export const CONTENDED_TTL = 150;

interface Tenure {
  readonly token: number;
  readonly sent: number;
  readonly got: number;
  /** When a renewal was sent that was confirmed. */
  readonly again?: number;
  /** Before its release left; missing where the process was killed. */
  readonly ended?: number;
}

export function tenuresIn(lines: readonly string[]): Tenure[] {
  const tenures = new Map<number, Tenure>();
  for (const line of lines) {
    const said = JSON.parse(line) as Tenure;
    const known = tenures.get(said.token);
    if (known !== undefined && said.got !== undefined) throw new Error(`token ${said.token} was given twice`);
    tenures.set(said.token, { ...known, ...said });
  }
  return [...tenures.values()].sort((a, b) => a.token - b.token);
}

/** Until when a member may believe that it holds: to its own word, or a TTL from its last request that was confirmed. */
const endOf = ({ sent, again = sent, ended = Infinity }: Tenure) => Math.min(ended, again + CONTENDED_TTL);

/** Pairs of neighbours of which the second had the seat before the first was over. */
export function overlaps(tenures: readonly Tenure[]): (readonly [Tenure, Tenure])[] {
  return tenures
    .slice(1)
    .map((next, index) => [tenures[index], next] as const)
    .filter(([before, next]) => next.got < endOf(before));
}
