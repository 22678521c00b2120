/** All routes that read. */
import * as v from "valibot";
import {
  CouncilSchema,
  EventText,
  FenceSchema,
  HealthSchema,
  JobSchema,
  MembersSchema,
  OfficeSchema,
  ReadinessSchema,
  SelfSchema,
  StatusSchema,
} from "../../../api/schemas.ts";
import {
  councilAnswer,
  fenceAnswer,
  jobAnswer,
  membersAnswer,
  officeAnswer,
  selfAnswer,
  statusAnswer,
} from "./answers.ts";
import { ApiError } from "./problem.ts";
import type { Route } from "./route.ts";

const JSON_TYPE = "application/json";
/** As Prometheus reads it. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const OPEN = "token beyond loopback";

const json = (schema: Route["answer"]["schema"], words: string) => ({ type: JSON_TYPE, schema, words });

export const reading: readonly Route[] = [
  {
    method: "get",
    path: "/v1/leader",
    needs: OPEN,
    summary: "Who leads the first office",
    description: "The same as /v1/offices/NAME of the first office.",
    answer: json(OfficeSchema, "The office; with several seats, each of them."),
    problems: [],
    handle: ({ member }) => officeAnswer(member, undefined),
  },
  {
    method: "get",
    path: "/v1/offices/{name}",
    needs: OPEN,
    summary: "Who leads an office or a seat",
    params: { name: "An office (shards) or one of its seats (shards#2, written as shards%232)." },
    answer: json(OfficeSchema, "The office; with several seats, each of them."),
    problems: [404],
    handle: ({ member }, { params }) => officeAnswer(member, params.name),
  },
  {
    method: "get",
    path: "/v1/self",
    needs: OPEN,
    summary: "The member that answers",
    answer: json(SelfSchema, "How it is set up, what it leads, and how it fares."),
    problems: [],
    handle: ({ member }) => selfAnswer(member),
  },
  {
    method: "get",
    path: "/v1/members",
    needs: OPEN,
    summary: "Who is in the group",
    answer: json(MembersSchema, "As far as this member knows."),
    problems: [],
    handle: ({ member }) => membersAnswer(member),
  },
  {
    method: "get",
    path: "/v1/status",
    needs: OPEN,
    summary: "All that this member knows, of one moment",
    description: "For whoever shows it. Nothing is promised, so that looking keeps nobody from leading.",
    answer: json(StatusSchema, "Itself, the members, and every office."),
    problems: [],
    handle: ({ member, world }) => statusAnswer(member, world.wall()),
  },
  {
    method: "get",
    path: "/v1/council",
    needs: OPEN,
    summary: "Who is in an office's council",
    query: { office: "The office; the first one where none is named." },
    answer: json(CouncilSchema, "The council, or null where the office has none."),
    problems: [400, 404],
    handle: ({ member }, { query }) => councilAnswer(member, query.office),
  },
  {
    method: "get",
    path: "/v1/fence",
    needs: "token",
    summary: "What the program beside the leader shows to guards",
    query: { office: "The office, or a seat; the first one where none is named." },
    answer: json(FenceSchema, "Of the lease that this member holds now."),
    problems: [400, 404, 409],
    handle: ({ member }, { query }) => fenceAnswer(member, query.office),
  },
  {
    method: "get",
    path: "/v1/jobs/{name}",
    needs: OPEN,
    summary: "What the lease store remembers of a job",
    params: { name: "The key of the job." },
    answer: json(JobSchema, "Its record."),
    problems: [503, 504],
    handle: ({ member }, { params }) => jobAnswer(member, params.name),
  },
  {
    method: "get",
    path: "/v1/events",
    needs: OPEN,
    summary: "What happens, as it happens",
    description:
      "Server-sent events. The first is `status`; then one for each event of the group, named after it. Whoever comes back with Last-Event-ID gets what it has missed, if that was among the latest 256, and no `status`; with 0 all that are kept come before it. A comment every 10 s shows that the connection lives. Who reads too slowly is cut off.",
    requestHeaders: { "last-event-id": "The id of the last event that was read; 0 for all that are kept." },
    answer: { type: "text/event-stream", schema: EventText, words: "A stream that does not end of itself." },
    problems: [503],
    handle: ({ streams }, { ctx }) => streams.open(ctx),
  },
  {
    method: "get",
    path: "/healthz",
    needs: "nothing",
    summary: "Whether the process and its member run",
    answer: json(HealthSchema, "They do."),
    problems: [503],
    handle({ member }) {
      if (member.facts.isHere) return { status: "ok" };
      throw new ApiError("NOT_READY", "the member does not run any more", "see the agent's log, and start it again");
    },
  },
  {
    method: "get",
    path: "/readyz",
    needs: "nothing",
    summary: "Whether the member can be relied on now",
    answer: json(
      ReadinessSchema,
      "It is part of its group and, with leases, the engine answers or has answered lately.",
    ),
    problems: [503],
    handle({ isReady }) {
      const { ready, why } = isReady();
      if (ready) return { status: "ready" };
      throw new ApiError("NOT_READY", why ?? "the member is not ready", "wait, and ask again", { "retry-after": "1" });
    },
  },
  {
    method: "get",
    path: "/metrics",
    needs: OPEN,
    summary: "Counters and gauges for Prometheus",
    answer: { type: METRICS_TYPE, schema: v.string(), words: "In the text format of Prometheus." },
    problems: [],
    handle: ({ metrics }) => metrics(),
  },
  {
    method: "get",
    path: "/openapi.json",
    needs: OPEN,
    summary: "This description",
    answer: json(v.record(v.string(), v.unknown()), "OpenAPI 3.1."),
    problems: [],
    handle: ({ description }) => description(),
  },
];
