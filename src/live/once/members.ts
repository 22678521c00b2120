/**
 * Who belongs to the group and where they listen, from a file: JSON, or lines such as
 *
 *   1 127.0.0.1:7001
 *   2 [::1]:7002
 *   edge 1 2          only for protocols that run on a given graph
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import * as v from "valibot";
import { InputError } from "../../errors.ts";
import type { AnyProtocol, Id } from "../../protocol.ts";
import { type Params, resolveParameters } from "../../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../../protocols/registry.ts";
import { complete } from "../../topology/complete.ts";
import { componentsOf } from "../../topology/components.ts";
import { EdgeList, graphOf } from "../../topology/csr.ts";
import { factsOf } from "../../topology/facts.ts";
import { star } from "../../topology/lattices.ts";
import { ring } from "../../topology/ring.ts";
import type { Topology } from "../../topology/topology.ts";
import type { Address } from "../world.ts";

/** A member of a group: its id, and where it listens. */
export interface Member extends Address {
  readonly id: Id;
}

/** The members of a group, and its links where it is not complete. */
export interface Membership {
  /** By ascending id: the order of the ring, and the numbers of the nodes. */
  readonly members: readonly Member[];
  /** Pairs of ids; empty where no graph is given. */
  readonly edges: readonly (readonly [Id, Id])[];
}

const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const MemberList = v.array(v.strictObject({ id: Whole, host: v.string(), port: Whole }));
const File = v.union([
  MemberList,
  v.strictObject({ members: MemberList, edges: v.optional(v.array(v.tuple([Whole, Whole])), []) }),
]);

/** Reads a members file: JSON, or lines such as `1 127.0.0.1:7001`. */
export function loadMembers(file: string): Membership {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InputError(
      `cannot read the members file ${file}: ${code === "ENOENT" ? "there is no such file" : message}`,
    );
  }
  return parseMembers(text, file);
}

/** Members from the text of a file; `file` is what errors call it. */
export function parseMembers(text: string, file: string): Membership {
  const { members, edges } = /^\s*[[{]/.test(text) ? fromJson(text, file) : fromLines(text, file);
  return check(members, edges, file);
}

function fromJson(text: string, file: string): Membership {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const parsed = v.safeParse(File, data);
  if (!parsed.success) {
    throw new InputError(`${file} must be a list such as [{"id": 1, "host": "127.0.0.1", "port": 7001}, ...]`);
  }
  return Array.isArray(parsed.output) ? { members: parsed.output, edges: [] } : parsed.output;
}

const MEMBER = /^(\d+)\s+(?:\[([^\]]+)\]|([^\s:]+)):(\d+)$/;
const EDGE = /^edge\s+(\d+)\s+(\d+)$/;

function fromLines(text: string, file: string): Membership {
  const members: Member[] = [];
  const edges: [Id, Id][] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/#.*/, "").trim();
    const member = MEMBER.exec(line);
    const edge = EDGE.exec(line);
    if (member !== null) members.push({ id: Number(member[1]), host: member[2] ?? member[3], port: Number(member[4]) });
    else if (edge !== null) edges.push([Number(edge[1]), Number(edge[2])]);
    else if (line !== "") {
      throw new InputError(`${file}, line ${index + 1}: "ID HOST:PORT" was expected, such as "3 127.0.0.1:7003"`);
    }
  }
  return { members, edges };
}

function check(listed: readonly Member[], edges: Membership["edges"], file: string): Membership {
  if (listed.length === 0) throw new InputError(`${file} names no member: add lines such as "1 127.0.0.1:7001"`);
  const members = listed
    .map((member) => ({ ...member, host: member.host === "localhost" ? "127.0.0.1" : member.host }))
    .sort((a, b) => a.id - b.id);
  const places = new Set<string>();
  for (const [index, { id, host, port }] of members.entries()) {
    const who = `${file}: member ${id}`;
    if (!Number.isSafeInteger(id)) throw new InputError(`${who}: ids go up to 2^53-1`);
    if (members[index + 1]?.id === id) throw new InputError(`${who} is listed twice: ids must be unique`);
    if (isIP(host) === 0) throw new InputError(`${who}: "${host}" must be an IPv4 or IPv6 address in numbers`);
    if (port < 1 || port > 65535) throw new InputError(`${who}: port ${port} must be from 1 to 65535`);
    if (places.has(`${host} ${port}`)) throw new InputError(`${who} has the address of another member`);
    places.add(`${host} ${port}`);
  }
  const ids = new Set(members.map(({ id }) => id));
  const stranger = edges.flat().find((id) => !ids.has(id));
  if (stranger !== undefined) throw new InputError(`${file}: an edge names ${stranger}, who is no member`);
  return { members, edges };
}

// The network of an election: members, numbered by ascending id, on the topology that the protocol assumes.

/**
 * Rings run through the members by id and close after the last; the centre of a star is the member with the lowest id;
 * other graphs are given as edges, and complete where there are none.
 */
export function electionTopology(protocol: AnyProtocol, { members, edges }: Membership): Topology {
  switch (protocol.assumes.topology) {
    case "ring":
      return ring(members.length);
    case "complete":
      return complete(members.length);
    case "star":
      if (members.length > 1) return star(members.length - 1);
      throw new InputError(`${protocol.name} needs a centre and at least one more member`);
    case "connected":
      return edges.length === 0
        ? complete(members.length)
        : given(
            members.map(({ id }) => id),
            edges,
          );
    case "open":
      throw new InputError(`${protocol.name} makes its links itself, and an election has a list of members`);
  }
}

/** Every parameter, given or by default, for this group; the centre of a star is not one of the n. */
export function parametersFor(choice: ProtocolChoice, values: Params, membership: Membership): Params {
  const { protocol } = findProtocol(choice);
  const topology = electionTopology(protocol, membership);
  const n = protocol.assumes.topology === "star" ? topology.size - 1 : topology.size;
  const params = resolveParameters(protocol, values, n);
  const adapted = protocol.adapt?.(params, factsOf(topology)) ?? params;
  if (typeof adapted === "string") throw new InputError(`${protocol.name}: ${adapted}`);
  return adapted;
}

function given(ids: readonly Id[], pairs: Membership["edges"]): Topology {
  const number = new Map(ids.map((id, node) => [id, node]));
  const edges = new EdgeList();
  for (const [a, b] of pairs) edges.add(number.get(a)!, number.get(b)!);
  const graph = graphOf("given", ids.length, edges);
  if (graph.dropped.loops > 0) throw new InputError("an edge from a member to itself is not allowed");
  if (graph.dropped.duplicates > 0) throw new InputError("an edge is given twice");
  const { count } = componentsOf(graph);
  if (count > 1) throw new InputError(`the edges leave the members in ${count} parts: connect them`);
  return graph;
}
