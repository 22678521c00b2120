/**
 * One protocol of several machines that share a wire: `byRole({ member, engine })`. A node plays the part that its host
 * gave it (`Self.role`); messages are of one type, so that any machine can say how large one is.
 */
import { InputError } from "../errors.ts";
import { type AnyProtocol, type Context, SELF } from "../protocol.ts";
import { type AnyGivenProtocol, completeProtocol } from "./check.ts";
import { described } from "./wrapper.ts";

export interface PlayedRole {
  readonly role: string;
  state: unknown;
}

type Ctx = Context<unknown, string>;

/** What the study is about (title, parameters, judgement) is the first machine's, unless `experiment` says otherwise. */
export function byRole(
  given: Readonly<Record<string, AnyGivenProtocol>>,
  experiment: Partial<AnyProtocol> = {},
): AnyProtocol {
  const roles = Object.keys(given);
  if (roles.length === 0) throw new InputError("no machine was given: name one for each role");
  const machines = Object.fromEntries(roles.map((role) => [role, completeProtocol(given[role])]));
  const all = Object.values(machines);
  const [first] = all;
  const { topology } = first.assumes;
  const odd = all.find(({ assumes }) => assumes.topology !== topology);
  if (odd !== undefined) {
    throw new InputError(`${odd.name} assumes a ${odd.assumes.topology} topology, but ${first.name} a ${topology} one`);
  }
  const byName = new Map(Object.entries(machines));
  const machine = ({ role }: { readonly role: string }): AnyProtocol => {
    const known = byName.get(role);
    if (known !== undefined) return known;
    throw new InputError(`no machine plays "${role}": the roles are ${roles.join(", ")}`);
  };
  const some = (part: "endRound" | "saved" | "leave" | "report") => all.some((one) => one[part] !== undefined);
  return {
    ...described(first),
    ...(first.counts && { counts: (message: unknown) => first.counts!(message) }),
    bits: (message) => first.bits(message),
    ...experiment,
    assumes: {
      ...first.assumes,
      start: all.some(({ assumes }) => assumes.start === "common") ? "common" : "any",
      fifo: all.some(({ assumes }) => assumes.fifo),
      multicast: all.some(({ assumes }) => assumes.multicast),
      knows: [...new Set(all.flatMap(({ assumes }) => assumes.knows))],
      tolerates: first.assumes.tolerates.filter((fault) =>
        all.every(({ assumes }) => assumes.tolerates.includes(fault)),
      ),
      ...experiment.assumes,
    },
    roles,
    measures: Object.assign({}, ...all.map(({ measures }) => measures), experiment.measures),
    init: (params, self, saved, ctx): PlayedRole => ({
      role: self.role,
      state: machine(self).init(params, self, saved, ctx),
    }),
    receive(node: PlayedRole, port, message, ctx) {
      // The door lets in what any of the machines accepts; what is meant for another one ends here.
      if (port === SELF || (machine(node).accepts?.(message) ?? true)) {
        machine(node).receive(node.state, port, message, ctx);
      }
    },
    expire: (node: PlayedRole, timer, ctx) => machine(node).expire!(node.state, timer, ctx),
    ...(some("endRound") && {
      endRound: (node: PlayedRole, round: number, ctx: Ctx) => machine(node).endRound?.(node.state, round, ctx),
    }),
    ...(some("leave") && { leave: (node: PlayedRole, ctx: Ctx) => machine(node).leave?.(node.state, ctx) }),
    verdict: (node: PlayedRole) => machine(node).verdict(node.state),
    ...(some("report") && { report: (node: PlayedRole) => machine(node).report?.(node.state) }),
    ...(some("saved") && { saved: (node: PlayedRole) => machine(node).saved?.(node.state) ?? null }),
    accepts: (message) => all.some((one) => one.accepts?.(message) ?? true),
  };
}
