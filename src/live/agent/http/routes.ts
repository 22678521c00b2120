/** The routes of the API. Each names the handler of the member's thread that answers it (handlers.ts). */
import * as v from "valibot";
import {
  BeginSchema,
  BegunSchema,
  CouncilSchema,
  ElectedSchema,
  ElectSchema,
  EventText,
  FenceSchema,
  FinishedSchema,
  FinishSchema,
  HealthSchema,
  JobSchema,
  MembersSchema,
  NothingSchema,
  OfficeSchema,
  ReadinessSchema,
  RekeyedSchema,
  ResignedSchema,
  ResignSchema,
  SelfSchema,
  StatusSchema,
  TransferredSchema,
  TransferSchema,
} from "../../../api/schemas.ts";
import type { HandlerName } from "./handlers.ts";
import { type Route, SENT } from "./route.ts";

const JSON_TYPE = "application/json";
/** As Prometheus reads it. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const OPEN = "token beyond loopback";

/** The member's thread answers. */
const asked =
  (handler: HandlerName): Route["handle"] =>
  ({ ask }, request) =>
    ask(handler, request);

const json = (schema: Route["answer"]["schema"], words: string) => ({ type: JSON_TYPE, schema, words });

const reading: readonly Route[] = [
  {
    method: "get",
    path: "/v1/leader",
    needs: OPEN,
    summary: "Who leads the first office",
    description: "The same as /v1/offices/NAME of the first office.",
    answer: json(OfficeSchema, "The office; with several seats, each of them."),
    problems: [],
    handle: asked("leader"),
  },
  {
    method: "get",
    path: "/v1/offices/{name}",
    needs: OPEN,
    summary: "Who leads an office or a seat",
    params: { name: "An office (shards) or one of its seats (shards#2, written as shards%232)." },
    answer: json(OfficeSchema, "The office; with several seats, each of them."),
    problems: [404],
    handle: asked("office"),
  },
  {
    method: "get",
    path: "/v1/self",
    needs: OPEN,
    summary: "The member that answers",
    answer: json(SelfSchema, "How it is set up, what it leads, and how it fares."),
    problems: [],
    handle: asked("self"),
  },
  {
    method: "get",
    path: "/v1/members",
    needs: OPEN,
    summary: "Who is in the group",
    answer: json(MembersSchema, "As far as this member knows."),
    problems: [],
    handle: asked("members"),
  },
  {
    method: "get",
    path: "/v1/status",
    needs: OPEN,
    summary: "All that this member knows, of one moment",
    description: "For displays. The answer promises nothing, so that reading it delays no hand-over.",
    answer: json(StatusSchema, "Itself, the members, and every office."),
    problems: [],
    handle: asked("status"),
  },
  {
    method: "get",
    path: "/v1/council",
    needs: OPEN,
    summary: "Who is in an office's council",
    query: { office: "The office; the first one where none is named." },
    answer: json(CouncilSchema, "The council, or null where the office has none."),
    problems: [400, 404],
    handle: asked("council"),
  },
  {
    method: "get",
    path: "/v1/fence",
    needs: "token",
    summary: "What the program beside the leader shows to guards",
    query: { office: "The office, or a seat; the first one where none is named." },
    answer: json(FenceSchema, "Of the lease that this member holds now."),
    problems: [400, 404, 409],
    handle: asked("fence"),
  },
  {
    method: "get",
    path: "/v1/jobs/{name}",
    needs: OPEN,
    summary: "What the lease store remembers of a job",
    params: { name: "The key of the job." },
    answer: json(JobSchema, "Its record."),
    problems: [409, 503, 504],
    handle: asked("job"),
  },
  {
    method: "get",
    path: "/v1/events",
    needs: OPEN,
    summary: "What happens, as it happens",
    description:
      "Server-sent events. The first is `status`; then one for each event of the group, named after it. A client that returns with Last-Event-ID gets the events that it has missed, if they are among the latest 256, and no `status`; with 0 all kept events come before it. A comment every 10 s shows that the connection lives. A client that reads too slowly is disconnected.",
    requestHeaders: { "last-event-id": "The id of the last event that was read; 0 for all that are kept." },
    answer: { type: "text/event-stream", schema: EventText, words: "A stream that does not end of itself." },
    problems: [503],
    async handle({ streams }, { exchange }) {
      await streams.open(exchange);
      return SENT;
    },
  },
  {
    method: "get",
    path: "/healthz",
    needs: "nothing",
    summary: "Whether the process and its member run",
    answer: json(HealthSchema, "They do."),
    problems: [503],
    handle: asked("health"),
  },
  {
    method: "get",
    path: "/readyz",
    needs: "nothing",
    summary: "Whether the member can be relied on now",
    answer: json(
      ReadinessSchema,
      "It is part of its group and, with leases, the lease store answers or has answered lately.",
    ),
    problems: [503],
    handle: asked("readiness"),
  },
  {
    method: "get",
    path: "/metrics",
    needs: OPEN,
    summary: "Counters and gauges for Prometheus",
    answer: { type: METRICS_TYPE, schema: v.string(), words: "In the text format of Prometheus." },
    problems: [],
    handle: asked("metrics"),
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

/** Each answers when it is done, or says why it is not; each can be asked again. */
const changing: readonly Route[] = [
  {
    method: "post",
    needs: "token",
    path: "/v1/resign",
    summary: "Give up an office",
    body: ResignSchema,
    description:
      "Others lead it then, or this member again where nobody else can. Where it leads nothing, nothing is done.",
    answer: json(ResignedSchema, "Given up, and its work has ended."),
    problems: [404, 503, 504],
    handle: asked("resign"),
  },
  {
    method: "post",
    needs: "token",
    path: "/v1/transfer",
    summary: "Hand an office over to another member",
    body: TransferSchema,
    answer: json(TransferredSchema, "The one named leads."),
    problems: [404, 409, 503, 504],
    handle: asked("transfer"),
  },
  {
    method: "post",
    needs: "token",
    path: "/v1/elect",
    summary: "Ask for a term of an office that nobody live leads",
    body: ElectSchema,
    description:
      "Without waiting for the members' next try. Where a live member leads every seat of it: 409, with the code HELD.",
    answer: json(ElectedSchema, "Somebody leads each seat that was vacant."),
    problems: [404, 409, 503, 504],
    handle: asked("elect"),
  },
  {
    method: "post",
    needs: "token",
    path: "/v1/begin",
    summary: "Begin an attempt at a job that runs once",
    body: BeginSchema,
    description:
      "Of the member that leads the office. Do the work while validForMs lasts, asking /v1/fence again before it has passed, then say how it has ended.",
    answer: json(BegunSchema, "Whether the work may begin."),
    problems: [404, 409, 503, 504],
    handle: asked("begin"),
  },
  {
    method: "post",
    needs: "token",
    path: "/v1/finish",
    summary: "Say how an attempt at a job has ended",
    body: FinishSchema,
    answer: json(FinishedSchema, "Whether it counts."),
    problems: [409, 503, 504],
    handle: asked("finish"),
  },
  {
    method: "post",
    needs: "token",
    path: "/v1/rekey",
    summary: "Read the group's keys again",
    body: NothingSchema,
    description: "As SIGHUP does: from the key file or the environment that the agent was started with.",
    answer: json(RekeyedSchema, "The keys that the member has now."),
    problems: [503],
    handle: asked("rekey"),
  },
];

export const routes: readonly Route[] = [...reading, ...changing];
