/** All routes that change something. Each answers when it is done, or says why it is not; each can be asked again. */
import type * as v from "valibot";
import {
  type AnswerOf,
  BeginSchema,
  BegunSchema,
  ElectedSchema,
  ElectSchema,
  FinishedSchema,
  FinishSchema,
  HandedOverSchema,
  HandOverSchema,
  NothingSchema,
  RekeyedSchema,
  ResignedSchema,
  ResignSchema,
} from "../../../api/schemas.ts";
import { begunAnswer, finishedAnswer, withTokenText } from "./answers.ts";
import { problemOf } from "./problem.ts";
import type { ApiMeans, CheckedRequest, Route } from "./route.ts";

const common = { method: "post", needs: "token" } as const;
const json = (schema: Route["answer"]["schema"], words: string) => ({ type: "application/json", schema, words });

export const changing: readonly Route[] = [
  {
    ...common,
    path: "/v1/resign",
    summary: "Give up an office",
    body: ResignSchema,
    description:
      "Others lead it then, or this member again where nobody else can. Where it leads nothing, nothing is done.",
    answer: json(ResignedSchema, "Given up, and its work has ended."),
    problems: [404, 503, 504],
    handle: told("resign", async ({ member }, { body }) => {
      const { office } = body as v.InferOutput<typeof ResignSchema>;
      return { group: member.group, resigned: await member.resign(office) } satisfies AnswerOf<typeof ResignedSchema>;
    }),
  },
  {
    ...common,
    path: "/v1/handover",
    summary: "Hand an office over to another member",
    body: HandOverSchema,
    answer: json(HandedOverSchema, "The one named leads."),
    problems: [404, 409, 503, 504],
    handle: told("hand over", async ({ member }, { body }) => {
      const { to, office } = body as v.InferOutput<typeof HandOverSchema>;
      const done = await member.handOver(to, office);
      return { group: member.group, ...withTokenText(done) } satisfies AnswerOf<typeof HandedOverSchema>;
    }),
  },
  {
    ...common,
    path: "/v1/elect",
    summary: "Ask for a term of an office that nobody live leads",
    body: ElectSchema,
    description:
      "Without waiting for the members' next try. Where a live member leads every seat of it: 409, with the code HELD.",
    answer: json(ElectedSchema, "Somebody leads each seat that was vacant."),
    problems: [404, 409, 503, 504],
    handle: told("elect", async ({ member }, { body }) => {
      const { office } = body as v.InferOutput<typeof ElectSchema>;
      const elected = (await member.elect(office)).map(withTokenText);
      return { group: member.group, elected } satisfies AnswerOf<typeof ElectedSchema>;
    }),
  },
  {
    ...common,
    path: "/v1/begin",
    summary: "Begin an attempt at a job that runs once",
    body: BeginSchema,
    description:
      "Of the member that leads the office. Do the work while validForMs lasts, asking /v1/fence again before it has passed, then say how it has ended.",
    answer: json(BegunSchema, "Whether the work may begin."),
    problems: [404, 503, 504],
    handle: told("begin", ({ member }, { body }) => begunAnswer(member, body as v.InferOutput<typeof BeginSchema>)),
  },
  {
    ...common,
    path: "/v1/finish",
    summary: "Say how an attempt at a job has ended",
    body: FinishSchema,
    answer: json(FinishedSchema, "Whether it counts."),
    problems: [503, 504],
    handle: told("finish", ({ member }, { body }) =>
      finishedAnswer(member, body as v.InferOutput<typeof FinishSchema>),
    ),
  },
  {
    ...common,
    path: "/v1/rekey",
    summary: "Read the group's keys again",
    body: NothingSchema,
    description: "As SIGHUP does: from the key file or the environment that the agent was started with.",
    answer: json(RekeyedSchema, "The keys that the member has now."),
    problems: [503],
    handle: told("rekey", ({ member }) => {
      member.rekey();
      return { group: member.group, keys: member.keys } satisfies AnswerOf<typeof RekeyedSchema>;
    }),
  },
];

/** Who asked for what, and what came of it, stands in the log. */
function told(what: string, handle: Route["handle"]): Route["handle"] {
  return async (means: ApiMeans, asked: CheckedRequest) => {
    const fields = { what, from: asked.ctx.env.incoming.socket.remoteAddress };
    try {
      const outcome = await handle(means, asked);
      means.log.info("asked over HTTP", fields);
      return outcome;
    } catch (error) {
      means.log.warn("asked over HTTP, in vain", { ...fields, code: problemOf(error).code });
      throw error;
    }
  };
}
