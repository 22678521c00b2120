/** How long a run will still take, by what each part took in the last run that was written. */
export type Minutes = Readonly<Record<string, number>>;

const now = () => performance.now() / 60_000;

export class Progress {
  private readonly before: Minutes;
  /** The parts that are not over, in their order. */
  private readonly waiting: string[];
  private began = now();
  /** Minutes of each part that is over. */
  readonly took: Record<string, number> = {};

  constructor(parts: readonly string[], before: Minutes) {
    this.waiting = [...parts];
    this.before = before;
  }

  /** The first part that was not over is over. */
  end(): void {
    const part = this.waiting.shift();
    if (part !== undefined) this.took[part] = now() - this.began;
    this.began = now();
  }

  get left(): string {
    const [first, ...rest] = this.waiting.map((part) => this.before[part] ?? 0);
    const minutes = Math.max(0, (first ?? 0) - (now() - this.began)) + rest.reduce((sum, each) => sum + each, 0);
    return `${Math.ceil(minutes)} min left`;
  }
}
