/** Which protocols can answer a request at all, and how each is searched; or why not, in words for users. */
import type { AnyProtocol } from "../protocol.ts";
import { searchCouncil, searchFilterRelay } from "./groups.ts";
import { type Search, searchQuorum, searchReferees, searchTournament, searchWalks, Tries } from "./sampling.ts";
import { attempt, type Setting } from "./setting.ts";

export type Searcher = (setting: Setting) => Search;

/** The ways to search a protocol, each of which may give a candidate; or the reason why there is none. */
export function waysOf(protocol: AnyProtocol, setting: Setting): readonly Searcher[] | string {
  const { name, assumes } = protocol;
  if (name === "epidemic-multicast") return "it delivers a message to everybody; it elects nobody";
  if (name === "council-continuous") return "it keeps a council over time; this plans a single election";
  const council = name.startsWith("council-");
  if (council !== (setting.council !== null)) {
    return council ? "it elects a council: ask for one with --council L..U" : "it elects one leader, not a council";
  }
  if (name === "known-highest") {
    return "it costs no message, but everybody must know the highest id beforehand, and then there is nothing to elect";
  }
  const complete = setting.topology === "complete";
  if (assumes.topology === "ring" && !complete && setting.topology !== "ring") {
    return `it runs on a ring, not on «${setting.topology}»`;
  }
  if (!complete && assumes.multicast)
    return `it needs a multicast to everybody, which «${setting.topology}» does not give`;
  if (setting.topology === "ring" && assumes.topology === "complete") {
    return "it asks random processes, and on a ring a random walk takes about n² steps to find one";
  }
  return searchers(name, setting);
}

function searchers(name: string, setting: Setting): readonly Searcher[] | string {
  switch (name) {
    case "referees":
      return [searchReferees];
    case "random-walks":
      return setting.topology === "ring" ? "its walks would take about n² steps on a ring" : [searchWalks];
    case "quorum":
      return [(s) => searchQuorum(s, "sync"), (s) => searchQuorum(s, "async")];
    case "tournament":
    case "tournament-async":
      return [(s) => searchTournament(s, name)];
    case "filter-relay":
      return [searchFilterRelay];
    case "council-history":
    case "council-basic":
      return setting.multicastLoss > 0
        ? "hosts that miss a feedback fall out of step with the centre, and what that costs has no prediction"
        : [council(name)];
    case "council-masks":
      return setting.council!.L > 1 ? "it stops at the first reply, so it can only promise L = 1" : [council(name)];
    default:
      return name.startsWith("council-") ? [council(name)] : [asItIs(name)];
  }
}

const council =
  (name: string): Searcher =>
  (setting) =>
    searchCouncil(setting, name);

/** Rings have no sizes to choose. */
const asItIs =
  (name: string): Searcher =>
  (setting) => {
    const tries = new Tries(setting);
    tries.add(attempt(setting, name, {}));
    return tries.result();
  };
