/** The setting of an election: the one that the last holder published, or this member's own choice. */
import { refereesAsync } from "../protocols/complete/referees-async.ts";
import { size } from "../protocols/membership/parent.ts";
import type { Setting } from "./messages.ts";
import { electorate } from "./standing.ts";
import type { Office, Turn } from "./state.ts";

/** Chosen for n members, from this member's parameters and what it has measured. */
export function chooseSetting({ state: { params } }: Turn, n: number): Setting {
  return {
    ...{
      protocol: params.protocol === "auto" ? refereesAsync.name : params.protocol,
      params: params.protocolParams,
      n,
    },
    ...{ loss: params.loss ?? 0, lossFrom: params.loss === null ? "measured" : "configured", epsilon: null },
  };
}

/** For the term after that of this holder: without it. */
export const nextSetting = (turn: Turn, _office: Office): Setting =>
  chooseSetting(turn, Math.max(1, size(turn.state.members) - 1));

/** What a term is opened with. A published setting that led to nothing more than once gives way to this member's own. */
export function openingSetting(turn: Turn, office: Office): Setting {
  const { setting, tries } = office;
  if (setting !== null && tries < 2) return setting;
  return chooseSetting(turn, electorate(turn, office).length + 1);
}
