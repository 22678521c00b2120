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

  /** `longest`: what a test of the file may take, where one has a limit of its own. */
  begin(module: M, longest = 0): void {
    const limit = PATIENCE * Math.max(longest, module.project.config.testTimeout);
    this.end(module);
    const timer = setTimeout(() => this.tooLong(module, limit), limit);
    this.timers.set(module.id, timer.unref());
  }

  /** Something has begun or ended in that file. What comes after the end of the file is late, and no news. */
  hear({ id }: M): void {
    this.timers.get(id)?.refresh();
  }

  end({ id }: M): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }
}
