/** Where the lease client runs inside the group: on the link to the engine, under the name `lease`. */
import type { Context, Self } from "../../protocol.ts";
import { embed } from "../../protocols/embed.ts";
import { leaseClient } from "../../protocols/lease/client.ts";
import type { LeaseMessage, Token } from "../../protocols/lease/messages.ts";
import { raiseFloor } from "../../protocols/lease/parent.ts";
import type { LeaseState } from "../../protocols/lease/state.ts";
import type { GroupParams } from "../params.ts";
import type { Saved } from "../saved.ts";
import { type GroupContext, raiseToken, type Turn } from "../state.ts";
import type { GroupMessage } from "../talk/messages.ts";

export const LEASE = "lease";

export const toEngine = (ctx: GroupContext): Context<LeaseMessage, string> =>
  embed<LeaseMessage, string, GroupMessage>(leaseClient, ctx, { name: LEASE, wrap: (message) => message });

/** Null without leases. What was saved of tokens is the floor of what is asked for. */
export function openClient(
  { lease }: GroupParams,
  name: string,
  self: Self,
  kept: Saved,
  ctx: GroupContext,
): LeaseState | null {
  if (lease === null) return null;
  return leaseClient.init({ ...lease, name }, self, kept.tokens ?? null, toEngine(ctx));
}

/** Only where there are leases. */
export const clientOf = ({ state }: Turn): LeaseState => state.lease!;

/** A token of this office has been seen: it is saved, and the engine is told of it as a floor. */
export function sawToken(turn: Turn, office: string, token: Token): void {
  raiseToken(turn, office, token);
  raiseFloor(clientOf(turn), office, token);
}
