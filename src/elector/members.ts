/** Where membership runs inside the group: on this member's own links, under the name `members`. */
import type { Context } from "../protocol.ts";
import { embed } from "../protocols/embed.ts";
import { membership } from "../protocols/membership/membership.ts";
import type { MembershipMessage } from "../protocols/membership/messages.ts";
import type { GroupContext } from "./state.ts";
import type { GroupMessage } from "./talk/messages.ts";

export const MEMBERS = "members";

export const membershipContext = (ctx: GroupContext): Context<MembershipMessage, "tick"> =>
  embed<MembershipMessage, "tick", GroupMessage>(membership, ctx, {
    name: MEMBERS,
    wrap: (message) => ({ kind: "members", message }),
  });
