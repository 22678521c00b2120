/**
 * Ends a run in which a test file is silent. A test has a time limit, but a loop without an end keeps the thread busy that would
 * notice it; so the process that reports does.
 */
interface Module {
  readonly id: string;
  readonly project: { readonly config: { readonly testTimeout: number } };
}

/** So many times what a test may take: a file has hooks too, has to be loaded, and the machine may be busy. */
const PATIENCE = 3;

export class Silence<M extends Module> {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly tooLong: (module: M, milliseconds: number) => void;

  constructor(tooLong: (module: M, milliseconds: number) => void) {
    this.tooLong = tooLong;
  }

  /** Something has begun or ended in that file. */
  hear(module: M): void {
    const limit = PATIENCE * module.project.config.testTimeout;
    this.end(module);
    this.timers.set(
      module.id,
      setTimeout(() => this.tooLong(module, limit), limit),
    );
  }

  end({ id }: M): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }
}
