/** The protocols of elections, by name, and how each runs under a given setting. */
import { InputError } from "../../errors.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { type AnyGivenProtocol, checkProtocol } from "../../protocols/check.ts";
import { overDatagrams } from "../../protocols/link/linked.ts";
import { type Params, resolveParameters } from "../../protocols/parameters.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { complete } from "../../topology/complete.ts";
import { factsOf } from "../../topology/facts.ts";
import type { ElectionSetting } from "../talk/messages.ts";

/** A protocol as it runs in elections of one setting. */
export interface Child {
  readonly bare: AnyProtocol;
  /** The protocol over datagrams: wrapped if it does not tolerate loss. */
  readonly protocol: AnyProtocol;
  readonly params: Params;
  /** Whether all members must begin together, so that all are told of the election. */
  readonly together: boolean;
  /** Whether all need the same list of members: rings do. */
  readonly listed: boolean;
}

export interface Children {
  /** Null if this member cannot take part, because it does not have the protocol, or the parameters are invalid. */
  of(setting: ElectionSetting): Child | null;
  /** The protocol of a name; those of the user's own come first. */
  find(name: string): AnyProtocol;
  /** Whether elections can be held with it, and why not. */
  refusal(name: string): string | null;
}

const RUNS_ON = ["complete", "ring", "connected"];

/** Whether a protocol can elect a leader of a group. Those of councils cannot: they need a centre. */
export const runsInGroups = ({ assumes }: AnyProtocol): boolean => RUNS_ON.includes(assumes.topology);

/** `own`: protocols of the user's; they come before those of the catalogue. */
export function childrenFrom(own: readonly AnyGivenProtocol[], tau: number): Children {
  const given = new Map(own.map((each) => [each.name, checkProtocol(each)]));
  const known = new WeakMap<ElectionSetting, { readonly child: Child | null }>();
  const find = (name: string): AnyProtocol => given.get(name) ?? findProtocol(name).protocol;

  function make({ protocol: name, params: asked, n }: ElectionSetting): Child {
    const bare = find(name);
    if (!runsInGroups(bare)) {
      throw new InputError(`${name} does not elect among members of a group: choose a protocol for complete graphs`);
    }
    const params = adapted(bare, resolveParameters(bare, asked, n), n);
    const { protocol } = overDatagrams(bare, params, tau);
    const { start, topology } = protocol.assumes;
    return { bare, protocol, params, together: start === "common", listed: topology === "ring" };
  }

  return {
    of(setting) {
      let found = known.get(setting);
      if (found === undefined) {
        found = { child: orNull(() => make(setting)) };
        known.set(setting, found);
      }
      return found.child;
    },
    find,
    refusal(name) {
      try {
        find(name);
        return null;
      } catch (error) {
        if (error instanceof InputError) return error.message;
        throw error;
      }
    },
  };
}

/** Random walks run on the complete graph of the members. */
function adapted(protocol: AnyProtocol, params: Params, n: number): Params {
  const found = protocol.adapt?.(params, factsOf(complete(n))) ?? params;
  if (typeof found === "string") throw new InputError(`${protocol.name}: ${found}`);
  return found;
}

function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
