/** What the member's thread does for the API: one handler for each question that the front passes on. */
import type * as v from "valibot";
import type {
  AnswerOf,
  BeginSchema,
  ElectedSchema,
  ElectSchema,
  FinishSchema,
  RekeyedSchema,
  ResignedSchema,
  ResignSchema,
  TransferredSchema,
  TransferSchema,
} from "../../../api/schemas.ts";
import type { GroupMember } from "../../join/member.ts";
import type { World } from "../../world.ts";
import {
  begunAnswer,
  type CommandHeld,
  councilAnswer,
  fenceAnswer,
  finishedAnswer,
  jobAnswer,
  membersAnswer,
  officeAnswer,
  selfAnswer,
  statusAnswer,
  withTokenText,
} from "./answers.ts";
import type { EventLog } from "./event-log.ts";
import { ApiError, problemOf } from "./problem.ts";

/** What is told to the log: a message that is the same for the same thing, and fields. */
export interface ApiLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface HandlerMeans {
  readonly member: GroupMember;
  readonly world: Pick<World, "wall">;
  readonly log: ApiLog;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  isReady(): { readonly ready: boolean; readonly why?: string | undefined };
  readonly events: EventLog;
  readonly commandHeld?: CommandHeld | undefined;
}

/** A request that the front has found to be well-formed and admitted. */
export interface HandlerRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The sender's address, for the log. */
  readonly from: string | undefined;
}

/** Gives a value for JSON, or a text. */
type Handler = (means: HandlerMeans, request: HandlerRequest) => unknown;

export const HANDLERS = {
  leader: ({ member }) => officeAnswer(member, undefined),
  office: ({ member }, { params }) => officeAnswer(member, params.name),
  self: ({ member, commandHeld }) => selfAnswer(member, commandHeld),
  members: ({ member }) => membersAnswer(member),
  status: ({ member, world, commandHeld }) => statusAnswer(member, world.wall(), commandHeld),
  council: ({ member }, { query }) => councilAnswer(member, query.office),
  fence: ({ member }, { query }) => fenceAnswer(member, query.office),
  job: ({ member }, { params }) => jobAnswer(member, params.name),
  metrics: ({ metrics }) => metrics(),
  health({ member }) {
    if (member.facts.isHere) return { status: "ok" };
    throw new ApiError("NOT_READY", "the member does not run any more", "see the agent's log, and start it again");
  },
  readiness({ isReady }) {
    const { ready, why } = isReady();
    if (ready) return { status: "ready" };
    throw new ApiError("NOT_READY", why ?? "the member is not ready", "wait, and ask again", { "retry-after": "1" });
  },
  /** What an event stream begins with. */
  events: ({ events }, { query }) => events.first(query.lastEventId),
  resign: told("resign", async ({ member }, { body }) => {
    const { office } = body as v.InferOutput<typeof ResignSchema>;
    return { group: member.group, resigned: await member.resign(office) } satisfies AnswerOf<typeof ResignedSchema>;
  }),
  transfer: told("transfer", async ({ member }, { body }) => {
    const { to, office } = body as v.InferOutput<typeof TransferSchema>;
    const done = await member.transfer(to, office);
    return { group: member.group, ...withTokenText(done) } satisfies AnswerOf<typeof TransferredSchema>;
  }),
  elect: told("elect", async ({ member }, { body }) => {
    const { office } = body as v.InferOutput<typeof ElectSchema>;
    const elected = (await member.elect(office)).map(withTokenText);
    return { group: member.group, elected } satisfies AnswerOf<typeof ElectedSchema>;
  }),
  begin: told("begin", ({ member }, { body }) => begunAnswer(member, body as v.InferOutput<typeof BeginSchema>)),
  finish: told("finish", ({ member }, { body }) => finishedAnswer(member, body as v.InferOutput<typeof FinishSchema>)),
  rekey: told("rekey", ({ member }) => {
    member.rekey();
    return { group: member.group, keys: member.keys } satisfies AnswerOf<typeof RekeyedSchema>;
  }),
} as const satisfies Readonly<Record<string, Handler>>;

export type HandlerName = keyof typeof HANDLERS;

/** The log has each request for a change, its sender and its outcome. */
function told(what: string, handle: Handler): Handler {
  return async (means, request) => {
    const fields = { what, from: request.from };
    try {
      const outcome = await handle(means, request);
      means.log.info("asked over HTTP", fields);
      return outcome;
    } catch (error) {
      means.log.warn("asked over HTTP, in vain", { ...fields, code: problemOf(error).code });
      throw error;
    }
  };
}
