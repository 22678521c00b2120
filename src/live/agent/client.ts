/** Asks an agent, and says in one sentence what went wrong: for commands of this program, which speak to an agent as any other program would. */
import type * as v from "valibot";
import { InputError } from "../../errors.ts";
import type { MemberKeys } from "../join/view.ts";
import { realWorld } from "../real-world.ts";
import type { World } from "../world.ts";
import { type AgentEvent, eventsIn } from "./client-events.ts";
import type { Members, Seat, Status } from "./http/schemas.ts";

/** Where an agent is, unless somebody says otherwise. */
export const DEFAULT_AGENT = "http://127.0.0.1:7070";

/** An agent on this machine answers within milliseconds; one that does not within this is not there. */
const PATIENCE = 10_000;
/** An agent sends something every 10 s. */
const LONGEST_SILENCE = 30_000;

export interface AgentClientOptions {
  /** Such as "http://127.0.0.1:7070"; "http://" may be left out. */
  readonly url?: string | undefined;
  /** What the agent wants to see before it changes anything, and for any address but loopback. */
  readonly token?: string | undefined;
  /** Milliseconds for one answer. */
  readonly patience?: number | undefined;
  /** As users would give `url` and `token`, for advice. */
  readonly says?: { readonly url: string; readonly token: string } | undefined;
  readonly world?: Pick<World, "set"> | undefined;
}

export type AgentSeat = v.InferOutput<typeof Seat>;
export type AgentMembers = v.InferOutput<typeof Members>;
/** All that an agent knows at one moment. */
export type AgentStatus = v.InferOutput<typeof Status>;

/** What an agent has refused, or why it could not be asked. */
export class AgentError extends InputError {
  /** The code of the refusal; "UNREACHABLE" and "UNREADABLE" where there was none. */
  readonly code: string;
  /** The status of HTTP; null where nothing was answered. */
  readonly status: number | null;

  constructor(code: string, status: number | null, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}

/** One agent, asked over HTTP. */
export class AgentClient {
  readonly url: string;
  private readonly token: string | undefined;
  private readonly patience: number;
  private readonly world: Pick<World, "set">;
  private readonly says: { readonly url: string; readonly token: string };

  constructor({ url = DEFAULT_AGENT, token, patience = PATIENCE, says, world = realWorld }: AgentClientOptions = {}) {
    this.says = says ?? { url: "--agent URL", token: "--token-file FILE" };
    this.url = originIn(url, this.says.url);
    this.token = token;
    this.patience = patience;
    this.world = world;
  }

  get<T>(path: string): Promise<T> {
    return this.json<T>("GET", path);
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.json<T>("POST", path, body);
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
  async rekey(): Promise<MemberKeys | null> {
    const { keys = null } = await this.post<{ readonly keys?: MemberKeys }>("/v1/rekey");
    return keys;
  }

  /** As they come, until the agent ends or says nothing for long, or the signal fires; throws where it cannot be asked. `after`: the id of the last one seen. */
  async *events(signal: AbortSignal, after: string | null = null): AsyncGenerator<AgentEvent, void> {
    const headers = { accept: "text/event-stream", ...(after === null ? {} : { "last-event-id": after }) };
    const silence = new AbortController();
    const wait = (ms: number) => this.world.set(ms, () => silence.abort(new DOMException("silence", "TimeoutError")));
    let timer = wait(this.patience);
    const heard = () => {
      timer();
      timer = wait(LONGEST_SILENCE);
    };
    try {
      const answer = await this.ask("/v1/events", { headers }, AbortSignal.any([signal, silence.signal]));
      heard();
      if (answer.body !== null) yield* eventsIn(answer.body, heard);
    } finally {
      timer();
    }
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { accept: "application/json", ...(body !== undefined && { "content-type": "application/json" }) };
    const answer = await this.ask(path, { method, headers, ...sent }, AbortSignal.timeout(this.patience));
    try {
      return (await answer.json()) as T;
    } catch (error) {
      throw this.unreadable(error);
    }
  }

  private async ask(path: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
    const { token } = this;
    const headers = { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    let answer: Response;
    try {
      answer = await fetch(`${this.url}${path}`, { ...request, headers, signal, redirect: "error" });
    } catch (error) {
      throw this.unreachable(error);
    }
    if (answer.ok) return answer;
    throw await this.refusal(answer);
  }

  private async refusal(answer: Response): Promise<AgentError> {
    const { status } = answer;
    const problem = (await answer.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
    const { detail, title, advice, code } = problem;
    const [what] = [detail, title].filter((each) => typeof each === "string" && each !== "");
    if (status === 401 || (what === undefined && status === 403)) {
      const why = this.token === undefined ? "wants a bearer token" : "does not know that bearer token";
      return new AgentError("UNAUTHORIZED", status, `the agent at ${this.url} ${why}: give it with ${this.says.token}`);
    }
    if (what === undefined) return this.unreadable(null, status);
    const end = typeof advice === "string" && advice !== "" ? `: ${advice}` : "";
    const said = `the agent at ${this.url} says no (${status}): ${what}${end}`;
    return new AgentError(typeof code === "string" ? code : "REFUSED", status, said);
  }

  private unreadable(cause: unknown, status: number | null = null): AgentError {
    const number = status === null ? "" : ` (status ${status})`;
    const said = `what answers at ${this.url} is no agent of sortition${number}: say where it is with ${this.says.url}`;
    return new AgentError("UNREADABLE", status, said, { cause });
  }

  private unreachable(error: unknown): AgentError {
    const { name, cause } = error as Error;
    const { code, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const why =
      name === "TimeoutError"
        ? `it has not answered for ${this.patience / 1000} s`
        : typeof code === "string"
          ? (REASONS[code] ?? code)
          : message === "bad port"
            ? "no browser and no fetch of Node speaks to that port; take another"
            : "it could not be asked";
    const advice = `start one with "sortition agent", or say where it is with ${this.says.url}`;
    return new AgentError("UNREACHABLE", null, `no agent answers at ${this.url} (${why}): ${advice}`, { cause: error });
  }
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

function originIn(given: string, option: string): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.hostname !== "";
  if (isOrigin && url.pathname === "/" && url.search === "") return url.origin;
  throw new InputError(`"${given}" is not the address of an agent: write ${option} as ${DEFAULT_AGENT}`);
}
