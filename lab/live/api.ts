/** Questions to the agent that has served this page, and to nobody else. */
import * as v from "valibot";
import { or, words } from "./checks.ts";

/** An agent's answer that was no good, in a sentence. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Nothing at this address speaks for an agent. */
export class NoAgent extends Error {}

const LARGEST = 8_000_000;
const Problem = v.object({ title: or(words, ""), detail: or(words, ""), advice: or(words, "") });

export interface Asked {
  readonly method?: "POST";
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds; for answers that end. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

export class Api {
  token: string | null;
  private readonly fetch: typeof fetch;

  constructor(token: string | null, fetcher: typeof fetch = (...args) => fetch(...args)) {
    this.token = token;
    this.fetch = fetcher;
  }

  /** The answer as JSON, which nobody has checked yet. */
  async ask(path: string, asked: Asked = {}): Promise<unknown> {
    const response = await this.send(path, asked);
    try {
      return JSON.parse(await bounded(response));
    } catch (error) {
      if (error instanceof SyntaxError) throw new NoAgent("The answer is no JSON.");
      throw error;
    }
  }

  /** The answer once its head is there; what is no success is thrown. */
  async send(
    path: string,
    { method, body, accept = "application/json", headers, within, signal }: Asked,
  ): Promise<Response> {
    const signals = [signal, within === undefined ? undefined : AbortSignal.timeout(within)];
    const response = await this.fetch(path, {
      method: method ?? "GET",
      headers: {
        accept,
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any(signals.filter((one) => one !== undefined)),
      cache: "no-store",
      credentials: "omit",
      // Where an agent would send us is not its own origin's business.
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && type.startsWith(accept)) return response;
    if (!/^application\/(problem\+)?json/.test(type))
      throw new NoAgent(`Status ${response.status}, ${type || "no type"}.`);
    throw await refusal(response);
  }
}

async function refusal(response: Response): Promise<Refusal> {
  const parsed = v.safeParse(Problem, safeJson(await bounded(response)));
  const { title, detail, advice } = parsed.success ? parsed.output : { title: "", detail: "", advice: "" };
  const what = detail || title || `The agent refuses (status ${response.status})`;
  const sentence = advice === "" || what.includes(advice) ? what : `${what.replace(/[.:]$/, "")}: ${advice}`;
  return new Refusal(response.status, /[.!?]$/.test(sentence) ? sentence : `${sentence}.`);
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function bounded(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks(response.body)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST) throw new Error(`An answer of more than ${LARGEST / 1e6} MB came.`);
  }
  return text + decoder.decode();
}

/** Not every browser can iterate over a stream. */
export async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let isWhole = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) return;
      yield value;
    }
  } finally {
    // One that has ended leaves its connection to the next question.
    if (!isWhole) reader.cancel().catch(() => {});
  }
}
