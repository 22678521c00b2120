/** What all agents of the demo say, read from their event streams: who leads, since when, and who knows it. */

import { AgentClient, type AgentEvent, type AgentStatus } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import type { DemoAgent } from "./processes.ts";

/** A leadership: which member, with which token. */
export interface Led {
  readonly leader: string;
  readonly term: number;
  readonly token: string;
  /** When its holder began, and when the last of those who were asked knew it; by the machine's clock. */
  readonly ledAt: number;
  readonly knownAt: number;
}

/** What one agent believes. */
interface Belief {
  readonly leader: string | null;
  readonly token: string | null;
  readonly term: number;
  readonly at: number;
}

interface Seen {
  readonly agent: DemoAgent;
  readonly abort: AbortController;
  belief: Belief | null;
  members: number;
}

interface Said {
  readonly at?: number;
  readonly leader?: string | null;
  readonly token?: string | null;
  readonly term?: number;
  readonly members?: number;
}

export class Observatory {
  private readonly seen = new Map<string, Seen>();
  /** When each token's holder began to lead, by its own word. */
  private readonly began = new Map<string, number>();
  private waiting: { readonly look: () => void; readonly limit: NodeJS.Timeout }[] = [];
  private readonly token: string;
  private readonly changed: (led: Led) => void;

  /** `changed`: the first that anybody says of a new leadership. */
  constructor(token: string, changed: (led: Led) => void) {
    this.token = token;
    this.changed = changed;
  }

  /** From now on, until it has gone. */
  watch(agent: DemoAgent): void {
    this.forget(agent.name);
    const seen: Seen = { agent, abort: new AbortController(), belief: null, members: 0 };
    this.seen.set(agent.name, seen);
    void this.follow(seen);
  }

  forget(name: string): void {
    this.seen.get(name)?.abort.abort();
    this.seen.delete(name);
    this.look();
  }

  close(): void {
    for (const { abort } of this.seen.values()) abort.abort();
    this.seen.clear();
    for (const { limit } of this.waiting) clearTimeout(limit);
    this.waiting = [];
  }

  /** The newest leadership that `some` agents (all that run, where nothing is said) believe in alike, `but` that of one token. */
  agreement({ but = null, some = null }: Agreeing = {}): Led | null {
    const asked = [...this.seen.values()].filter(({ agent }) =>
      some === null ? agent.state === "running" : some.includes(agent.name),
    );
    const [first] = asked;
    if (first?.belief == null) return null;
    const { leader, token, term } = first.belief;
    if (leader === null || token === null || token === but) return null;
    if (!asked.every(({ belief }) => belief?.leader === leader && belief.token === token)) return null;
    const ledAt = this.began.get(token);
    // Its holder says so in the same moment, but perhaps not first.
    if (ledAt === undefined) return null;
    return { leader, term, token, ledAt, knownAt: Math.max(...asked.map(({ belief }) => belief!.at)) };
  }

  /** How many members each of the agents that run sees, the fewest of it. */
  get fewestMembers(): number {
    return Math.min(
      ...[...this.seen.values()].filter(({ agent }) => agent.state === "running").map((one) => one.members),
    );
  }

  /** Resolves as soon as `find` gives something; rejects after this many milliseconds. */
  until<T>(find: () => T | null, within: number, words: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(waiter.limit);
        this.waiting = this.waiting.filter((each) => each !== waiter);
      };
      const waiter = {
        look: () => {
          const found = find();
          if (found === null) return;
          end();
          resolve(found);
        },
        limit: setTimeout(() => {
          end();
          reject(new InputError(`${words} within ${within / 1000} s: ${this.trouble}`));
        }, within),
      };
      this.waiting.push(waiter);
      waiter.look();
    });
  }

  /** What agents complain about, for when something does not happen. */
  private get trouble(): string {
    const agent = [...this.seen.values()].map((each) => each.agent).find(({ trouble }) => trouble !== null);
    return agent === undefined ? "is this machine very busy?" : `${agent.name} says that ${agent.trouble}`;
  }

  /** Something else that is waited for may have happened. */
  look(): void {
    for (const { look } of this.waiting) look();
  }

  private async follow(seen: Seen): Promise<void> {
    const client = new AgentClient({ url: seen.agent.url, token: this.token });
    let after: string | null = null;
    while (!seen.abort.signal.aborted) {
      try {
        for await (const event of client.events(seen.abort.signal, { after })) {
          after = event.id || after;
          this.told(seen, event);
        }
      } catch {
        // It is paused or has gone; who has gone is forgotten.
      }
      if (!seen.abort.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private told(seen: Seen, { event, data }: AgentEvent): void {
    const said = data as Said;
    if (event === "status") this.status(seen, data as AgentStatus);
    if (said.members !== undefined && typeof said.members === "number") seen.members = said.members;
    if (event === "leads" && said.token != null) this.began.set(said.token, said.at!);
    if (event === "leader") this.believes(seen, said.leader ?? null, said.token ?? null, said.term!, said.at!);
    if (event === "leaderless") this.believes(seen, null, null, said.term!, said.at!);
    this.look();
  }

  private status(seen: Seen, { at, self, offices }: AgentStatus): void {
    seen.members = self.members;
    for (const { token } of self.leads) if (token !== null && !this.began.has(token)) this.began.set(token, at);
    const [{ leader, token, term }] = offices;
    this.believes(seen, leader?.name ?? null, token, term, at);
  }

  private believes(seen: Seen, leader: string | null, token: string | null, term: number, at: number): void {
    const before = seen.belief;
    // The same again, as after a reconnection, was known before.
    if (before?.leader === leader && before.token === token) return;
    const isNew = token !== null && ![...this.seen.values()].some(({ belief }) => belief?.token === token);
    seen.belief = { leader, token, term, at };
    if (isNew && leader !== null) {
      this.changed({ leader, term, token, ledAt: this.began.get(token) ?? at, knownAt: at });
    }
  }
}

interface Agreeing {
  /** A token that does not count. */
  readonly but?: string | null;
  readonly some?: readonly string[] | null;
}
