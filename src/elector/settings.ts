/** The setting of an election: the one that the last holder published, or this member's own choice. */
import { lossSeen, size } from "../protocols/membership/parent.ts";
import type { Setting } from "./messages.ts";
import { chooseSetting } from "./setting/choose.ts";
import { lossOf } from "./setting/loss.ts";
import { electorate } from "./standing.ts";
import type { Office, Turn } from "./state.ts";

/** Chosen for n members, from this member's parameters and what it has measured. */
function ownSetting({ state: { params, members }, children }: Turn, n: number): Setting {
  const { protocol, protocolParams, epsilon } = params;
  const loss = lossOf(params.loss, lossSeen(members));
  return chooseSetting({ protocol, params: protocolParams, n, loss, epsilon }, children.find);
}

/** For the term after that of this holder: without it. */
export const nextSetting = (turn: Turn, _office: Office): Setting =>
  ownSetting(turn, Math.max(1, size(turn.state.members) - 1));

/** What a term is opened with. A published setting that led to nothing more than once gives way to this member's own. */
export function openingSetting(turn: Turn, office: Office): Setting {
  const { setting, tries } = office;
  if (setting !== null && tries < 2) return setting;
  return ownSetting(turn, electorate(turn, office).length + 1);
}
