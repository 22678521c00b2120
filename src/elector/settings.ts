/** The setting of an election: the one that the last holder published, or this member's own choice. */
import { lossSeen, size } from "../protocols/membership/parent.ts";
import { paceAfter } from "./election/pace.ts";
import { chooseSetting } from "./setting/choose.ts";
import { lossOf } from "./setting/loss.ts";
import { electorate } from "./standing.ts";
import type { Office, Turn } from "./state.ts";
import { publishedSetting, publishSetting } from "./talk/claim-notes.ts";
import type { ElectionSetting } from "./talk/messages.ts";

/** Chosen for n members, from this member's parameters and what it has measured. */
function ownSetting({ state: { params, members }, children }: Turn, n: number): ElectionSetting {
  const { protocol, protocolParams, epsilon } = params;
  const loss = lossOf(params.loss, lossSeen(members));
  return chooseSetting({ protocol, params: protocolParams, n, loss, epsilon }, children.find);
}

/** For the terms after those of this holder: without it. */
export const nextSetting = (turn: Turn): ElectionSetting => ownSetting(turn, Math.max(1, size(turn.state.members) - 1));

/** The newest that the office's last holder has published; what came with its claim; null where nobody held it. */
export function knownSetting(turn: Turn, { claim, former, setting }: Office): ElectionSetting | null {
  const holder = claim?.holder == null ? former : { name: claim.holder, life: claim.life };
  return (holder === null ? null : publishedSetting(turn, holder)) ?? setting;
}

/** What a term is opened with. A published setting that led to nothing more than once gives way to this member's own. */
export function openingSetting(turn: Turn, office: Office): ElectionSetting {
  const { failedTries: tries } = office;
  const known = tries < 2 ? knownSetting(turn, office) : null;
  const setting = known ?? ownSetting(turn, electorate(turn, office).length + 1);
  return tries === 0 ? setting : { ...setting, pace: paceAfter(tries) };
}

export const REVIEW = "review";

/** The group has changed: whoever holds anything looks in a while whether the next terms should be held differently. */
export function reviewSoon({ state, ctx, times }: Turn): void {
  if (state.reviewing || state.led.size === 0) return;
  state.reviewing = true;
  ctx.arm(REVIEW, times.review, 1.5 * times.review);
}

export function review(turn: Turn): void {
  turn.state.reviewing = false;
  if (turn.state.led.size > 0) publishSetting(turn, nextSetting(turn));
}
