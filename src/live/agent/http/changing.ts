/** All routes that change something. Each answers when it is done, or says why it is not; each can be asked again. */
import type * as v from "valibot";
import {
  type Answer,
  Elect,
  Elected,
  HandedOver,
  HandOver,
  Nothing,
  Rekeyed,
  Resign,
  Resigned,
} from "../../../api/schemas.ts";
import { problemOf } from "./problem.ts";
import type { ApiMeans, Asked, Route } from "./route.ts";

const common = { method: "post", needs: "token" } as const;
const json = (schema: Route["answer"]["schema"], words: string) => ({ type: "application/json", schema, words });

export const changing: readonly Route[] = [
  {
    ...common,
    path: "/v1/resign",
    summary: "Give up an office",
    body: Resign,
    description:
      "Others lead it then, or this member again where nobody else can. Where it leads nothing, nothing is done.",
    answer: json(Resigned, "Given up, and its work has ended."),
    problems: [404, 503, 504],
    handle: told("resign", async ({ member }, { body }) => {
      const { office } = body as v.InferOutput<typeof Resign>;
      return { group: member.group, resigned: await member.resign(office) } satisfies Answer<typeof Resigned>;
    }),
  },
  {
    ...common,
    path: "/v1/handover",
    summary: "Hand an office over to another member",
    body: HandOver,
    answer: json(HandedOver, "The one named leads."),
    problems: [404, 409, 503, 504],
    handle: told("hand over", async ({ member }, { body }) => {
      const { to, office } = body as v.InferOutput<typeof HandOver>;
      const done = await member.handOver(to, office);
      return { group: member.group, ...done } satisfies Answer<typeof HandedOver>;
    }),
  },
  {
    ...common,
    path: "/v1/elect",
    summary: "Ask for a term of an office that nobody live leads",
    body: Elect,
    description:
      "Without waiting for the members' next try. Where a live member leads every seat of it: 409, with the code HELD.",
    answer: json(Elected, "Somebody leads each seat that was vacant."),
    problems: [404, 409, 503, 504],
    handle: told("elect", async ({ member }, { body }) => {
      const { office } = body as v.InferOutput<typeof Elect>;
      return { group: member.group, elected: await member.elect(office) } satisfies Answer<typeof Elected>;
    }),
  },
  {
    ...common,
    path: "/v1/rekey",
    summary: "Read the group's keys again",
    body: Nothing,
    description: "As SIGHUP does: from the key file or the environment that the agent was started with.",
    answer: json(Rekeyed, "The keys that the member has now."),
    problems: [503],
    handle: told("rekey", ({ member }) => {
      member.rekey();
      return { group: member.group, keys: member.keys } satisfies Answer<typeof Rekeyed>;
    }),
  },
];

/** Who asked for what, and what came of it, stands in the log. */
function told(what: string, handle: Route["handle"]): Route["handle"] {
  return async (means: ApiMeans, asked: Asked) => {
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
