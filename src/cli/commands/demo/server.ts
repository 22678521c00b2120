/**
 * What the demo serves: the Lab's page, the API of an agent that lives, and /demo/..., by which the page kills, pauses and starts
 * processes. On loopback, for the names of this machine and its own page only; what changes something needs the token of this start.
 */
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { InputError } from "../../../errors.ts";
import { Admission } from "../../../live/agent/http/admission.ts";
import { answering, labAnswer, pathOf, send, sendText } from "../../../live/agent/http/app.ts";
import { ApiError, type HttpExchange } from "../../../live/agent/http/problem.ts";
import { readJsonBody } from "../../../live/agent/http/route.ts";
import { listen } from "../../../live/agent/listening.ts";
import type { DemoAgent } from "./processes.ts";

/** What is known of one here. */
type ServedAgent = Pick<DemoAgent, "name" | "pid" | "url" | "state">;

export type DemoAct = "kill" | "pause" | "resume" | "start";
const ACTS: readonly DemoAct[] = ["kill", "pause", "resume", "start"];
/** What an agent answers. */
const AGENTS = /^\/(?:v1\/.*|healthz|readyz|metrics|openapi\.json)$/;
const JSON_TYPE = "application/json";

interface DemoServerSetup {
  readonly port: number;
  readonly token: string;
  agents(): readonly ServedAgent[];
  /** Who leads, as far as is known. */
  leader(): ServedAgent | null;
  /** Does it, and resolves when it is done. */
  act(act: DemoAct, name: string): Promise<void>;
}

export interface DemoServer {
  readonly url: string;
  /** An agent was stopped or has gone: readers of its events go on with another one. */
  cut(name: string): void;
  close(): Promise<void>;
}

/** Errors are told to the client. */
const nothing = () => {};
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const Act = v.strictObject({ name: v.string("must be the name of a process") });

export async function serveDemo(setup: DemoServerSetup): Promise<DemoServer> {
  const { token } = setup;
  const admission = new Admission({ host: "127.0.0.1", isSecure: false, names: [], token: () => token });
  const streams = new Map<string, Set<() => void>>();
  const respond = async (exchange: HttpExchange): Promise<void> => {
    const { incoming } = exchange;
    const { method = "", headers } = incoming;
    const path = pathOf(exchange);
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && path === "/") return send(exchange, { status: 302, headers: { location: "/lab/" }, body: "" });
    if (isRead && path.startsWith("/lab/")) return labAnswer(exchange);
    if (isRead && path === "/demo/processes") {
      admission.checkToken("token", headers);
      return sendText(exchange, JSON_TYPE, { processes: listed(setup) });
    }
    // What is left of a lease only its holder knows; asked for like this it promises nothing.
    if (isRead && path === "/demo/leader") {
      const leading = setup.leader();
      if (leading?.state === "running") return passOn(exchange, leading, streams, "/v1/self");
      throw new ApiError("NOT_READY", "no agent leads the demo, or the leader is paused", "ask again later");
    }
    const act = method === "POST" ? ACTS.find((act) => path === `/demo/${act}`) : undefined;
    if (act !== undefined) {
      admission.checkToken("token", headers);
      const { name } = (await readJsonBody(incoming, Act)) as { name: string };
      await checked(setup, act, name);
      return sendText(exchange, JSON_TYPE, { processes: listed(setup) });
    }
    if (AGENTS.test(path)) return passOn(exchange, chosen(setup, path), streams);
    throw new ApiError("NO_SUCH_ROUTE", "the demo serves no such thing", "open /lab/, or ask /v1/leader");
  };
  const answer = answering(admission, { log: SILENT }, respond);
  const server = createServer((incoming, outgoing) => void answer({ incoming, outgoing }));
  await listen(server, { host: "127.0.0.1", port: setup.port }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EADDRINUSE" ? "something else listens there" : error.message;
    throw new InputError(`cannot serve the demo at port ${setup.port}: ${why}; choose another with --port`);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(name) {
      for (const end of streams.get(name) ?? []) end();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listed = ({ agents }: DemoServerSetup) =>
  agents().map(({ name, pid, state, url }) => ({ name, pid, state, url: state === "dead" ? null : url }));

async function checked({ agents, act: perform }: DemoServerSetup, act: DemoAct, name: string): Promise<void> {
  const agent = agents().find((each) => each.name === name);
  if (agent === undefined) {
    throw new ApiError("NO_SUCH_ROUTE", "the demo has no process of that name", "GET /demo/processes lists them");
  }
  const fits = { kill: agent.state !== "dead", pause: agent.state === "running", resume: agent.state === "paused" };
  if (act === "start" ? agent.state === "dead" : fits[act]) return perform(act, name);
  throw new ApiError("BAD_REQUEST", `${name} is ${agent.state}`, "GET /demo/processes says how each of them is");
}

/** Only who leads can resign, hand over, or promise that it still holds its lease; all else any of them can say. */
function chosen({ agents, leader }: DemoServerSetup, path: string): ServedAgent {
  const isForLeader = /^\/v1\/(leader|resign|transfer|fence)$/.test(path);
  const running = agents().filter(({ state }) => state === "running");
  const leading = leader();
  // A paused agent would not answer.
  const agent = isForLeader && leading?.state === "running" ? leading : running[0];
  if (agent !== undefined) return agent;
  throw new ApiError("NOT_READY", "no agent of the demo runs", "start one on the page");
}

/** The connection's own headers stay here, and so do those that were checked here. */
const KEPT = /^(accept|accept-encoding|authorization|content-type|content-length|last-event-id)$/;

function passOn(
  { incoming, outgoing }: HttpExchange,
  agent: ServedAgent,
  streams: Map<string, Set<() => void>>,
  path = incoming.url,
): Promise<void> {
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => KEPT.test(name)));
  return new Promise((resolve, reject) => {
    const unreachable = () =>
      new ApiError("NOT_READY", `${agent.name} has just gone`, "ask again: another one answers then");
    const asked = request(`${agent.url}${path}`, { method: incoming.method, headers }, (given) => {
      outgoing.writeHead(given.statusCode ?? 502, plainHeaders(given));
      given.pipe(outgoing);
      given.once("error", () => outgoing.destroy());
      resolve();
    });
    const end = () => {
      asked.destroy();
      outgoing.destroy();
    };
    const open = streams.get(agent.name) ?? new Set();
    streams.set(agent.name, open.add(end));
    outgoing.once("close", () => {
      open.delete(end);
      asked.destroy();
    });
    asked.once("error", () => (outgoing.headersSent ? outgoing.destroy() : reject(unreachable())));
    incoming.pipe(asked);
  });
}

const plainHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name)),
  );
