/** What a command has of its process, without one: output is collected, and `exit` unwinds. */
import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { Exit, type Io, type Output } from "../../src/cli/io.ts";

class Collected extends Writable implements Output {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows = 24;
  text = "";

  constructor(columns: number | null) {
    super({ decodeStrings: false });
    this.isTTY = columns !== null;
    this.columns = columns ?? 80;
  }

  override _write(text: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += text;
    done();
  }
}

export interface TestIoOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Of the terminal behind both streams; none where this is missing. */
  readonly columns?: number;
}

export class TestIo implements Io {
  readonly stdout: Collected;
  readonly stderr: Collected;
  readonly env: NodeJS.ProcessEnv;
  /** The calling thread does all: threads take long to start, and the numbers are the same. */
  readonly threads = 0;
  exitCode: number | undefined;
  private readonly stdin: string;
  private readonly emitter = new EventEmitter();

  constructor({ env = process.env, stdin = "", columns }: TestIoOptions = {}) {
    this.stdout = new Collected(columns ?? null);
    this.stderr = new Collected(columns ?? null);
    this.env = env;
    this.stdin = stdin;
  }

  readInput(): string {
    return this.stdin;
  }

  exit(status = this.exitCode ?? 0): never {
    throw new Exit(status);
  }

  // biome-ignore-start lint/suspicious/noExplicitAny: as Node types it
  on(event: string, listener: (...args: any[]) => void): this {
    this.emitter.on(event, listener);
    return this;
  }

  once(event: string, listener: (...args: any[]) => void): this {
    this.emitter.once(event, listener);
    return this;
  }

  off(event: string, listener: (...args: any[]) => void): this {
    this.emitter.off(event, listener);
    return this;
  }

  // biome-ignore-end lint/suspicious/noExplicitAny: as Node types it

  /** A signal, or the end. */
  emit(event: NodeJS.Signals | "exit"): void {
    this.emitter.emit(event, event);
  }
}
