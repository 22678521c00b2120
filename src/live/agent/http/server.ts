/** The agent's HTTP API, as the member's thread sees it: it starts the thread that serves HTTP (front.ts), and answers its questions. */
import type { Worker } from "node:worker_threads";
import { GroupError } from "../../join/errors.ts";
import type { GroupMember } from "../../join/member.ts";
import { isUnspecified } from "../../net/address.ts";
import { addressText, isLoopback } from "../../net/udp.ts";
import { startThread } from "../../start-thread.ts";
import type { World } from "../../world.ts";
import { cannotServe, type HttpPlace, httpPlaceOf } from "../listening.ts";
import { type ApiSettings, apiToken, certificateOf } from "./admission.ts";
import type { CommandHeld } from "./answers.ts";
import { EventLog } from "./event-log.ts";
import { type ApiLog, HANDLERS, type HandlerMeans } from "./handlers.ts";
import { ApiError, problemOf } from "./problem.ts";
import {
  type ApiLimits,
  type ApiSecrets,
  type FromFront,
  type FrontSetup,
  STREAM_LIMITS,
  type ToFront,
} from "./thread.ts";

export interface ApiOptions {
  readonly member: GroupMember;
  readonly settings: ApiSettings;
  metrics(): Promise<string>;
  isReady(): { readonly ready: boolean; readonly why?: string | undefined };
  readonly log: ApiLog;
  readonly world: Pick<World, "now" | "wall" | "set" | "bytes">;
  readonly limits?: Partial<ApiLimits>;
  /** Under `sortition run`: what holds its command. */
  readonly commandHeld?: CommandHeld | undefined;
}

const LIMITS: ApiLimits = {
  ...STREAM_LIMITS,
  connections: 1024,
  headersWithin: 10_000,
  requestWithin: 20_000,
  idle: 30_000,
};

/** Megabytes of JavaScript objects, of which floods make none that stay. With 4 of young ones an idle agent has 3 MB more. */
const HEAP = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 2 };
/** Milliseconds: after a front has failed, another one is started; a front that does not close is ended. */
const RESTART = 1000;
const CLOSING = 4000;
/** Milliseconds for which the text of the metrics is kept. */
const METRICS_KEPT = 1000;

export interface RunningApi {
  readonly url: string;
  /** How many event streams are open. */
  readonly streams: number;
  /** Reads the files of token and TLS again; throws, and goes on with the old ones, if they cannot be used. */
  reload(): void;
  /** Ends event streams with a last event, waits a little for answers that are under way, and for nobody else. */
  close(): Promise<void>;
}

export async function serveApi(options: ApiOptions): Promise<RunningApi> {
  const { settings } = options;
  const place = await httpPlaceOf(settings.http);
  const secrets = secretsOf(settings);
  if (!("path" in place) && !isLoopback(place) && secrets.token === null) {
    throw new GroupError(
      "BAD_OPTION",
      `others can reach the HTTP API at ${settings.http}, and it has no bearer token`,
      "give --http-token-file, or an address of this machine alone such as 127.0.0.1:7070",
    );
  }
  const front = new Front(options, place, secrets);
  await front.start();
  return front;
}

const secretsOf = (settings: ApiSettings): ApiSecrets => ({
  token: apiToken(settings),
  secure: certificateOf(settings),
});

class Front implements RunningApi {
  streams = 0;
  private readonly options: ApiOptions;
  private readonly limits: ApiLimits;
  private readonly means: HandlerMeans;
  private place: HttpPlace;
  private secrets: ApiSecrets;
  private worker: Worker | null = null;
  private closing: Promise<void> | null = null;

  constructor(options: ApiOptions, place: HttpPlace, secrets: ApiSecrets) {
    const { member, world, log, isReady } = options;
    this.options = options;
    this.place = place;
    this.secrets = secrets;
    this.limits = { ...LIMITS, ...options.limits };
    const events = new EventLog({
      member,
      world,
      commandHeld: options.commandHeld,
      kept: this.limits.kept,
      publish: (text) => this.post({ kind: "publish", text }),
    });
    this.means = {
      member,
      world,
      log,
      isReady,
      events,
      commandHeld: options.commandHeld,
      metrics: keptFor(METRICS_KEPT, world, options.metrics),
    };
  }

  get url(): string {
    const { place } = this;
    if ("path" in place) return `unix:${place.path}`;
    const { host, port } = place;
    const reached = isUnspecified(place) ? (host === "::" ? "::1" : "127.0.0.1") : host;
    return `${this.secrets.secure === null ? "http" : "https"}://${addressText({ host: reached, port })}`;
  }

  /** Resolves when the front listens. */
  start(): Promise<void> {
    const { place, secrets, limits, options } = this;
    const setup: FrontSetup = { place, limits, names: options.settings.httpHosts ?? [], ...secrets };
    const worker = startThread("http-thread", { workerData: setup, resourceLimits: HEAP });
    this.worker = worker;
    return new Promise((resolve, reject) => {
      let failure: unknown = null;
      let hasListened = false;
      worker.on("message", (message: FromFront) => {
        if (message.kind === "listening") {
          hasListened = true;
          this.place = message.place;
          resolve();
        } else if (message.kind === "cannot listen") failure = cannotServe(options.settings.http, asErrno(message));
        else this.hear(message);
      });
      worker.on("error", (error) => {
        failure = error;
      });
      worker.on("exit", () => {
        if (this.worker === worker) this.worker = null;
        this.streams = 0;
        if (!hasListened) reject(failure ?? new Error("the thread that serves HTTP has ended"));
        else if (this.closing === null) this.restart(failure);
      });
    });
  }

  reload(): void {
    this.secrets = secretsOf(this.options.settings);
    this.post({ kind: "secrets", ...this.secrets });
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const last = this.means.events.close("the agent ends");
    const { worker } = this;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const cancel = this.options.world.set(CLOSING, () => void worker.terminate());
    this.post({ kind: "close", last });
    await ended;
    cancel();
  }

  /** The member goes on without HTTP meanwhile. */
  private restart(failure: unknown): void {
    const { log, world } = this.options;
    const error = failure instanceof Error ? failure.message : "it has ended";
    log.error("the thread that serves HTTP has failed, and is started again", { error });
    world.set(RESTART, () => {
      if (this.closing === null) this.start().catch((again) => this.restart(again));
    });
  }

  private hear(message: FromFront): void {
    if (message.kind === "ask") void this.answer(message);
    else if (message.kind === "streams") this.streams = message.count;
    else if (message.kind === "error") this.options.log.error(message.message, message.fields);
  }

  private async answer({ id, handler, request }: Extract<FromFront, { readonly kind: "ask" }>): Promise<void> {
    try {
      const given: unknown = await HANDLERS[handler](this.means, request);
      // With an end of line, so that a shell's prompt does not stick to what curl prints.
      const text = typeof given === "string" ? given : `${JSON.stringify(given)}\n`;
      this.post({ kind: "answer", id, text });
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === "INTERNAL") {
        const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.options.log.error("an HTTP request has failed", { error: why });
      }
      this.post({ kind: "problem", id, problem, headers: error instanceof ApiError ? error.headers : {} });
    }
  }

  private post(message: ToFront): void {
    this.worker?.postMessage(message);
  }
}

const asErrno = ({ code, message }: { readonly code: string | undefined; readonly message: string }) =>
  Object.assign(new Error(message), { code }) as NodeJS.ErrnoException;

/** One call in this many milliseconds; others get what it gave. */
function keptFor(ms: number, { now }: Pick<World, "now">, make: () => Promise<string>): () => Promise<string> {
  let kept: Promise<string> | null = null;
  let since = 0;
  return () => {
    if (kept === null || now() - since >= ms) {
      kept = make();
      since = now();
      kept.catch(() => {
        kept = null;
      });
    }
    return kept;
  };
}
