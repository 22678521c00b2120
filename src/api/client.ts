/**
 * The client of the agent's HTTP API: requests, the stream of events, and in one sentence what went wrong. The command line, the
 * demo and the Lab use it, so it needs only what Node and browsers both have.
 */
import type * as v from "valibot";
import { InputError } from "../errors.ts";
import type { StreamEventName } from "../events/events.ts";
import type { FenceSchema, KeysSchema, MembersSchema, SeatSchema, SelfSchema, StatusSchema } from "./schemas.ts";

/** Where an agent is, unless somebody says otherwise. */
export const DEFAULT_AGENT = "http://127.0.0.1:7070";

/** An agent on this machine answers within milliseconds; one that does not within this is not there. */
const PATIENCE = 10_000;
/** An agent sends something every 10 s. */
const LONGEST_SILENCE = 30_000;

interface AgentClientOptions {
  /** Such as "http://127.0.0.1:7070"; "http://" may be left out. Null: the agent that has served this page. */
  readonly url?: string | null | undefined;
  /** What the agent wants to see before it changes anything, and for any address but loopback. */
  readonly token?: string | null | undefined;
  /** Milliseconds for one answer. */
  readonly patience?: number | undefined;
  /** Milliseconds without a word after which a stream counts as lost. */
  readonly silence?: number | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

export type AgentSeat = v.InferOutput<typeof SeatSchema>;
export type AgentSelf = v.InferOutput<typeof SelfSchema>;
export type AgentMembers = v.InferOutput<typeof MembersSchema>;
export type AgentFence = v.InferOutput<typeof FenceSchema>;
/** All that an agent knows at one moment. */
export type AgentStatus = v.InferOutput<typeof StatusSchema>;

/** One event of an agent's stream. An agent of another version may have other names. */
export interface AgentEvent {
  readonly event: StreamEventName;
  /** For `after`; empty where none was sent yet. */
  readonly id: string;
  readonly data: unknown;
}

/** When one request is given up. */
interface RequestLimits {
  /** Milliseconds for the answer. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

interface Listening {
  /** The id of the last event that was read. */
  readonly after?: string | null;
  /** The agent has answered, or anything has come, if only a comment. */
  readonly heard?: () => void;
}

/** What an agent has refused, or why it could not be asked. */
export class AgentError extends InputError {
  /** The code of the refusal. Without one: "UNREACHABLE", "SILENT" (nothing came in time), "UNREADABLE" (not an agent), "TOO_LARGE". */
  readonly code: string;
  /** The status of HTTP; null where nothing was answered. */
  readonly status: number | null;
  /** The agent's own words; null where it said nothing. */
  readonly said: string | null;

  constructor(
    code: string,
    status: number | null,
    message: string,
    { said = null, ...options }: ErrorOptions & { readonly said?: string | null } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.said = said;
  }
}

/** One agent, asked over HTTP. */
export class AgentClient {
  readonly url: string;
  token: string | null;
  private readonly patience: number;
  private readonly silence: number;
  private readonly fetch: typeof fetch;

  constructor(options: AgentClientOptions = {}) {
    const { url = DEFAULT_AGENT, token, patience, silence } = options;
    this.url = url === null ? "" : originIn(url);
    this.token = token ?? null;
    this.patience = patience ?? PATIENCE;
    this.silence = silence ?? LONGEST_SILENCE;
    this.fetch = options.fetch ?? ((...args) => fetch(...args));
  }

  get<T>(path: string, limits: RequestLimits = {}): Promise<T> {
    return this.json<T>(path, { method: "GET" }, limits);
  }

  post<T>(path: string, body: unknown = {}, limits: RequestLimits = {}): Promise<T> {
    const headers = { "content-type": "application/json" };
    return this.json<T>(path, { method: "POST", headers, body: JSON.stringify(body) }, limits);
  }

  members(): Promise<AgentMembers> {
    return this.get("/v1/members");
  }

  /** The first event of a stream says all of it, of one moment. */
  async status(): Promise<AgentStatus> {
    const enough = new AbortController();
    try {
      for await (const { event, data } of this.events(enough.signal)) {
        if (event === "status") return data as AgentStatus;
      }
    } finally {
      enough.abort();
    }
    throw this.unreadable(null);
  }

  /** Its member reads its keys again. */
  async rekey(): Promise<v.InferOutput<typeof KeysSchema> | null> {
    const { keys = null } = await this.post<{ readonly keys?: v.InferOutput<typeof KeysSchema> }>("/v1/rekey");
    return keys;
  }

  /**
   * Events as they come, until the agent ends the stream, the connection breaks or the signal fires. Throws where the agent cannot
   * be asked, or says nothing for too long. What is not JSON is skipped.
   */
  async *events(signal: AbortSignal, { after = null, heard }: Listening = {}): AsyncGenerator<AgentEvent, void> {
    const silence = new AbortController();
    const wait = (ms: number) => setTimeout(() => silence.abort(new DOMException("silence", "TimeoutError")), ms);
    let timer = wait(this.patience);
    const listen = () => {
      clearTimeout(timer);
      timer = wait(this.silence);
      heard?.();
    };
    const headers = { accept: "text/event-stream", ...(after !== null && { "last-event-id": after }) };
    try {
      const answer = await this.ask("/v1/events", { headers }, AbortSignal.any([signal, silence.signal]));
      if (answer.body === null || !isEventStream(answer)) throw this.unreadable(null);
      listen();
      const reader = new EventReader();
      for await (const text of texts(answer.body)) {
        listen();
        for (const event of reader.read(text)) yield* parsed(event);
      }
    } catch (error) {
      if (error instanceof AgentError) throw error;
      if (error instanceof RangeError) throw this.tooLarge(error);
      if (silence.signal.aborted) throw this.silent(this.silence, error);
      // A connection that breaks is an end as any other.
      if (!(error instanceof Error)) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async json<T>(path: string, request: RequestInit, { within, signal }: RequestLimits): Promise<T> {
    const limit = AbortSignal.timeout(within ?? this.patience);
    const headers = { accept: "application/json", ...request.headers };
    const signals = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const answer = await this.ask(path, { ...request, headers }, signals, within);
    try {
      return JSON.parse(await whole(answer)) as T;
    } catch (error) {
      if (error instanceof RangeError) throw this.tooLarge(error);
      throw error instanceof SyntaxError ? this.unreadable(error) : this.unreachable(error, within);
    }
  }

  private async ask(path: string, request: RequestInit, signal: AbortSignal, within?: number): Promise<Response> {
    const { token } = this;
    let answer: Response;
    try {
      answer = await this.fetch(`${this.url}${path}`, {
        ...request,
        headers: { ...request.headers, ...(token !== null && { authorization: `Bearer ${token}` }) },
        signal,
        cache: "no-store",
        credentials: "omit",
        // The bearer token is for this agent alone.
        redirect: "error",
        referrerPolicy: "no-referrer",
      });
    } catch (error) {
      throw this.unreachable(error, within);
    }
    if (answer.ok) return answer;
    throw await this.refusal(answer);
  }

  private async refusal(answer: Response): Promise<AgentError> {
    const { status } = answer;
    const { code, ...problem } = await problemIn(answer);
    const said = wordsOf(problem);
    if (status === 401 || (said === null && status === 403)) {
      const why = this.token === null ? "wants a bearer token" : "does not know that bearer token";
      const message = `the agent at ${this.url} ${why}: give it with --token-file FILE`;
      return new AgentError("UNAUTHORIZED", status, message, { said });
    }
    if (said === null) return this.unreadable(null, status);
    const message = `the agent at ${this.url} says no (${status}): ${said}`;
    return new AgentError(typeof code === "string" ? code : "REFUSED", status, message, { said });
  }

  private unreadable(cause: unknown, status: number | null = null): AgentError {
    const number = status === null ? "" : ` (status ${status})`;
    const said = `what answers at ${this.url} is no agent of sortition${number}: say where it is with --agent URL`;
    return new AgentError("UNREADABLE", status, said, { cause });
  }

  private tooLarge({ message }: RangeError): AgentError {
    return new AgentError("TOO_LARGE", null, `the agent at ${this.url} sends too much: ${message}`);
  }

  private silent(ms: number, cause: unknown): AgentError {
    return new AgentError("SILENT", null, `the agent at ${this.url} has said nothing for ${ms / 1000} s`, { cause });
  }

  private unreachable(error: unknown, within = this.patience): AgentError {
    const { name, cause } = error as Error;
    const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const isLate = name === "TimeoutError";
    const why = isLate
      ? `it has not answered for ${within / 1000} s`
      : typeof code === "string"
        ? (REASONS[code] ?? code)
        : message === "bad port"
          ? "no browser and no fetch of Node speaks to that port; take another"
          : "it could not be asked";
    const said = `no agent answers at ${this.url} (${why}): start one with "sortition agent", or say where it is with --agent URL`;
    return new AgentError(isLate ? "SILENT" : "UNREACHABLE", null, said, { cause: error });
  }
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") ?? false;

function* parsed({ event, id, data }: ServerEvent): Generator<AgentEvent> {
  const json = jsonIn(data);
  if (json !== undefined) yield { event: event as StreamEventName, id, data: json };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A stream as texts. Not every browser can iterate over a stream. */
async function* texts(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let isWhole = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    // One that has ended leaves its connection to the next question.
    if (!isWhole) reader.cancel().catch(() => {});
  }
}

async function whole({ body }: Response): Promise<string> {
  let all = "";
  for await (const text of body === null ? [] : texts(body)) {
    all += text;
    if (all.length > LONGEST_ANSWER) throw new RangeError(`an answer of more than ${LONGEST_ANSWER / 1e6} MB came`);
  }
  return all;
}

async function problemIn(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const problem = jsonIn(await whole(answer).catch(() => ""));
  return typeof problem === "object" && problem !== null ? (problem as Readonly<Record<string, unknown>>) : {};
}

/** What an agent says of a refusal, and what to do about it. */
function wordsOf({ detail, title, advice }: Readonly<Record<string, unknown>>): string | null {
  const what = [detail, title].find((each): each is string => typeof each === "string" && each !== "");
  if (what === undefined) return null;
  return typeof advice !== "string" || what.includes(advice) ? what : `${what}: ${advice}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "nobody knows that name",
  EAI_AGAIN: "nobody knows that name",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_SOCKET: "it closed the connection; if it speaks TLS, write https://",
  ECONNRESET: "it closed the connection; if it speaks TLS, write https://",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not known here; NODE_EXTRA_CA_CERTS names a file of those that are",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not known here; NODE_EXTRA_CA_CERTS names a file of those that are",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is not known here; NODE_EXTRA_CA_CERTS names a file of those that are",
  ERR_SSL_WRONG_VERSION_NUMBER: "it speaks no TLS; write http:// instead of https://",
};

function originIn(given: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.hostname !== "";
  if (isOrigin && url.pathname === "/" && url.search === "") return url.origin;
  throw new InputError(`"${given}" is not the address of an agent: write --agent URL as ${DEFAULT_AGENT}`);
}

// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), read from pieces of text: what EventSource
// does, but with a limit, and for requests with headers.

export interface ServerEvent {
  /** The last id that was sent, for `Last-Event-ID`; empty before the first. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of one event, or of one answer. A status of a thousand members is some hundred kilobytes. */
const LONGEST_ANSWER = 8_000_000;

export class EventReader {
  private id = "";
  private rest = "";
  private event = "";
  private data: string[] = [];
  private size = 0;

  /** Whole events in the order in which they came; comments, such as heart-beats, are none. */
  *read(text: string): Generator<ServerEvent> {
    // A long line comes in many pieces, which are looked at once.
    const isMore = !/[\r\n]/.test(text) && !this.rest.endsWith("\r");
    this.rest += text;
    // A lone carriage return at the end may be half of a line's end.
    const lines = isMore ? [this.rest] : this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop()!;
    this.mustFit(this.rest.length);
    for (const line of lines) {
      const event = this.line(line);
      if (event !== null) yield event;
    }
  }

  private line(line: string): ServerEvent | null {
    if (line === "") return this.ended();
    this.size += line.length;
    this.mustFit(0);
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === "event") this.event = value ?? "";
    else if (field === "data") this.data.push(value ?? "");
    else if (field === "id" && !value?.includes("\0")) this.id = value ?? "";
    return null;
  }

  private ended(): ServerEvent | null {
    const { id, event, data } = this;
    this.event = "";
    this.data = [];
    this.size = 0;
    return data.length === 0 ? null : { id, event: event || "message", data: data.join("\n") };
  }

  private mustFit(more: number): void {
    if (this.size + more > LONGEST_ANSWER)
      throw new RangeError(`an event of more than ${LONGEST_ANSWER / 1e6} MB came`);
  }
}
