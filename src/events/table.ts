/**
 * Every event of a group, once: its fields, its level in the log, how the Lab shows it, what it means and its sentence. Types, log
 * lines, docs/events.md, the schemas of the agent's API and the words of the Lab derive from this table.
 */
import type { FieldSpec, FieldsIn } from "./fields.ts";

export type EventLevel = "debug" | "info" | "warn" | "error";

/** `change`: of who leads. `never`: another event says it, or only the log needs it. */
type Shown = "change" | "trouble" | "plain" | "never";

/** What a sentence is made of. Tokens that came as JSON are texts. */
type Told<T> = { readonly [F in keyof T]: F extends "token" ? T[F] | string : T[F] };

interface EventTexts<F> {
  readonly level: EventLevel | ((fields: F) => EventLevel);
  /** Comes again and again while a machine is busy or a stranger insists: the log limits it. */
  readonly isFrequent?: true;
  readonly shown: Shown;
  /** For docs/events.md. */
  readonly about: string;
  /** For people, without time, office and full stop. */
  sentence(fields: Told<F>): string;
}

interface EventKind<S extends FieldSpec> extends EventTexts<FieldsIn<S>> {
  readonly fields: readonly S[];
}

const event = <const S extends FieldSpec>(fields: readonly S[], texts: EventTexts<FieldsIn<S>>): EventKind<S> => ({
  fields,
  ...texts,
});

const plural = (members: number) => `${members} ${members === 1 ? "member" : "members"}`;
/** A line that a process writes of itself has no count. */
const count = (members: number | undefined) => (members === undefined ? "" : `; ${plural(members)}`);
const under = (token: bigint | string | null | undefined) => (token == null ? "" : `, token ${token}`);

/** What the machine of a group reports (src/elector). */
export const NEWS_EVENTS = {
  joined: event(["member", "members"], {
    level: "info",
    shown: "plain",
    about: "this member has heard of another member, for the first time or again",
    sentence: ({ member, members }) => `${member} has joined${count(members)}`,
  }),
  suspected: event(["member"], {
    level: "debug",
    isFrequent: true,
    shown: "trouble",
    about: "a member does not answer",
    sentence: ({ member }) => `${member} does not answer`,
  }),
  refuted: event(["member"], {
    level: "debug",
    isFrequent: true,
    shown: "plain",
    about: "a suspected member answers again",
    sentence: ({ member }) => `${member} answers again`,
  }),
  failed: event(["member", "members"], {
    level: "warn",
    shown: "trouble",
    about: "a member is taken for dead",
    sentence: ({ member, members }) => `${member} is taken for dead${count(members)}`,
  }),
  left: event(["member", "members"], {
    level: "info",
    shown: "plain",
    about: "a member left by a graceful shutdown; in `sortition group`, at last this member",
    sentence: ({ member, members }) => `${member} has left${count(members)}`,
  }),
  view: event(["members"], {
    level: "debug",
    shown: "never",
    about: "the number of members has changed",
    sentence: ({ members }) => plural(members ?? 0),
  }),
  refused: event(["why"], {
    level: "error",
    shown: "never",
    about: "this member cannot join: its name is taken, or its settings differ",
    sentence: ({ why }) => why,
  }),
  misfit: event(["member", "why"], {
    level: "warn",
    isFrequent: true,
    shown: "trouble",
    about: "another member has other leases, another policy or other seats than this one",
    sentence: ({ why }) => why,
  }),
  term: event(["office", "term"], {
    level: "debug",
    shown: "never",
    about: "an office has a higher term",
    sentence: ({ term }) => `term ${term}`,
  }),
  leader: event(["office", "term", "leader", "token", "leaseMs?", "cause?", "former?", "odds?"], {
    level: "info",
    shown: "change",
    about: "a member leads an office",
    sentence: ({ leader, term, token, cause, former }) =>
      `${leader} leads in term ${term}${under(token)}${former === undefined ? "" : `, after ${former} (${cause})`}`,
  }),
  leaderless: event(["office", "term", "leader=null"], {
    level: "info",
    shown: "trouble",
    about: "nobody leads an office",
    sentence: ({ term }) => `nobody leads in term ${term}`,
  }),
  leads: event(["office", "term", "leader", "token", "leaseMs?", "fence"], {
    level: "info",
    shown: "never",
    about: "this member leads an office",
    sentence: ({ term, token }) => `THIS MEMBER LEADS in term ${term}${under(token)}`,
  }),
  resigned: event(["office", "term", "token"], {
    level: "info",
    shown: "change",
    about: "this member no longer leads an office, for any reason",
    sentence: ({ term }) => `this member leads no longer (term ${term})`,
  }),
  conflict: event(["office", "term"], {
    level: "warn",
    shown: "trouble",
    about: "two members had won one term; the next term decides",
    sentence: ({ term }) => `two had won term ${term}; the next one decides`,
  }),
  faulty: event(["office", "term", "why"], {
    level: "error",
    shown: "trouble",
    about: "the protocol of an election has thrown an error; the next term tries again",
    sentence: ({ term, why }) => `the election of term ${term} has ended: ${why}`,
  }),
  seated: event(["office", "term"], {
    level: "info",
    shown: "plain",
    about: "this member has a seat in the council of an office",
    sentence: () => "this member has a seat",
  }),
  unseated: event(["office", "term"], {
    level: "info",
    shown: "plain",
    about: "this member has no seat in the council any more",
    sentence: () => "this member has no seat any more",
  }),
  requesting: event(["office", "term"], {
    level: "debug",
    shown: "plain",
    about: "with leases: this member has won a term and asks the lease store",
    sentence: ({ term }) => `this member has won term ${term} and asks the lease store for the lease`,
  }),
  denied: event(["office", "term", "why"], {
    level: "info",
    shown: "trouble",
    about: "with leases: the lease store has denied the lease",
    sentence: ({ why }) => `the lease store has denied the lease: ${why}`,
  }),
  unreachable: event(["office", "term", "leader", "token"], {
    level: "warn",
    shown: "trouble",
    about: "with leases: the leader has the lease, but nobody reaches the leader",
    sentence: ({ leader }) => `${leader} has the lease but cannot be reached; waiting until it runs out`,
  }),
  settling: event(["office", "term", "leaseMs?"], {
    level: "debug",
    shown: "plain",
    about: "the work of this member must stop; a lease is kept until it has stopped",
    sentence: ({ leaseMs }) =>
      leaseMs === undefined
        ? "this member does not stand for it before its work has ended"
        : "the lease is kept until the work of this member has ended",
  }),
  lapsed: event(["office", "term", "token", "why"], {
    level: "warn",
    shown: "trouble",
    about: "with leases: this member's lease is over, so this member no longer leads",
    sentence: ({ why }) => `the lease of this member is over: ${why}`,
  }),
  engine: event(["engine", "why?"], {
    level: ({ engine }) => (engine === "answers" ? "info" : "warn"),
    shown: "plain",
    about: "with leases: the lease store does not answer this member, or answers again",
    sentence: ({ engine, why }) =>
      engine === "silent"
        ? `the lease store grants and renews nothing: ${why}; it is asked again`
        : "the lease store answers again",
  }),
};

/** What the process of a member says of itself (src/live). */
const PROCESS_EVENTS = {
  started: event(["member", "address", "why?"], {
    level: "info",
    shown: "never",
    about: "this process listens; `address` is where others reach it",
    sentence: ({ member, address, why }) =>
      `${member} listens; others reach it at ${address}${why === undefined ? "" : `; ${why}`}`,
  }),
  new: event(["member", "why"], {
    level: "info",
    shown: "never",
    about: "with `--state`: no state was saved, or the saved state is damaged",
    sentence: ({ why }) => `a new member: ${why}`,
  }),
  alone: event(["why"], {
    level: "warn",
    shown: "plain",
    about: "nobody has answered yet, said once; this member goes on asking",
    sentence: ({ why }) => why,
  }),
  unresolved: event(["why", "address"], {
    level: "warn",
    isFrequent: true,
    shown: "never",
    about: "the address of a name is not known; it is looked up again",
    sentence: ({ address, why }) => `${address}: ${why}`,
  }),
  dropped: event(["why"], {
    level: "warn",
    isFrequent: true,
    shown: "plain",
    about: "datagrams of another key, group or version were dropped, or another member lacks this key",
    sentence: ({ why }) => why,
  }),
  threw: event(["office", "why", "failures", "ms?"], {
    level: "error",
    shown: "trouble",
    about: "the work threw an error; after `ms` this member stands for the office again",
    sentence: ({ why, failures, ms }) =>
      `the work of this member has thrown an error${failures > 1 ? `, ${failures} times in a row` : ""}: ${why}` +
      `${ms === undefined ? "" : `; this member stands again in ${(ms / 1000).toFixed(1)} s`}`,
  }),
  job: event(["office", "key", "member", "token", "failures", "why"], {
    level: ({ failures, why }) => (failures > 0 && why.endsWith("given up") ? "error" : "info"),
    shown: "plain",
    about: "a job is done or given up; `member` made the last attempt",
    sentence: ({ why }) => why,
  }),
  unsettled: event(["office", "why"], {
    level: "error",
    shown: "trouble",
    about: "the work that leads an office was told to stop and has not stopped",
    sentence: ({ why }) => why,
  }),
  unrecorded: event(["why"], {
    level: "warn",
    shown: "plain",
    about: "the flight record has stopped, because its file cannot be written; this member goes on",
    sentence: ({ why }) => why,
  }),
  stalled: event(["why", "ms"], {
    level: "warn",
    isFrequent: true,
    shown: "plain",
    about: "this process was paused, or its event loop was busy; passed deadlines were handled first",
    sentence: ({ why }) => why,
  }),
};

/** Every event that a member tells. */
export const EVENTS = { ...NEWS_EVENTS, ...PROCESS_EVENTS };

/** What the event stream of an agent adds, beside `status`, which is no happening. */
export const STREAM_EVENTS = {
  end: event(["why"], {
    level: "info",
    shown: "trouble",
    about: "the agent closes the stream; this is its last event",
    sentence: ({ why }) => `the agent ends: ${why}`,
  }),
};
