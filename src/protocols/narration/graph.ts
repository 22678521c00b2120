/** What happens in elections that flood a network or span it with a tree, in words. */
import type { Narrate, Part, Telling } from "../../narrator.ts";
import type { FloodMaxMessage, FloodMaxState } from "../graph/flood-max.ts";
import type { Decision } from "../ring/common.ts";
import { count } from "./words.ts";

const partOf = ({ status }: Decision, contends: boolean, heard: boolean): Part =>
  status === "elected"
    ? "leads"
    : status === "not-elected"
      ? "informed"
      : contends
        ? "contends"
        : heard
          ? "relay"
          : "idle";

export const floodMax: Narrate<FloodMaxState, FloodMaxMessage> = (before, event, after, scene) => {
  const part = partOf(after, after.best === after.id, after.best !== null);
  const told = (says: string, brief: string | null = null): Telling => ({ says, brief, part });
  const sent = (kind: FloodMaxMessage["kind"]) => event.sent.filter(({ message }) => message.kind === kind).length;
  const neighbours = (kind: FloodMaxMessage["kind"]) => count(sent(kind), "neighbour");
  const ending = (): string => {
    if (after.status === "elected" && before?.status !== "elected")
      return sent("leader") > 0 ? `: it leads, and tells ${neighbours("leader")}` : ": it leads";
    const [back] = event.sent.filter(({ message }) => message.kind === "echo");
    return back === undefined
      ? ""
      : `, so it answers ${scene.name(back.to)}: ${after.best} has been everywhere behind it`;
  };
  switch (event.do) {
    case "deliver": {
      const { from, message } = event;
      const { id } = message;
      const node = scene.name(from);
      if (message.kind === "leader") {
        const on = sent("leader") > 0 ? `, and tells ${neighbours("leader")}` : "";
        return told(`learns from ${node} that id ${id} leads${on}`, `${id} leads`);
      }
      const best = before?.best ?? null;
      if (best !== null && id < best)
        return told(`stops id ${id} from ${node}: it has seen ${best}, which is larger`, `stops ${id}`);
      if (after.params.stop === "diameter") {
        return best === id
          ? told(`hears of id ${id} once more`)
          : told(`hears of id ${id} from ${node}, the largest so far`, `${id} is the largest`);
      }
      if (best === id) {
        const how = message.kind === "echo" ? "comes back" : "comes in";
        const left = after.awaited > 0 ? `; ${count(after.awaited, "link")} to go` : "";
        return told(
          `sees that id ${id} ${how} through ${node}${left}${ending()}`,
          after.status === "elected" ? "leads" : null,
        );
      }
      const what = sent("wave") > 0 ? `passes it on to ${neighbours("wave")}` : "has nobody to pass it on to";
      const own = best === after.id ? "gives up its own id: " : "";
      return told(`${own}takes id ${id} from ${node} for the largest and ${what}${ending()}`, `${id} is the largest`);
    }
    case "end-round":
      return sent("wave") > 0
        ? told(`passes id ${after.best} on to ${neighbours("wave")}`, `passes ${after.best} on`)
        : told("has nothing new to pass on");
    case "timer":
      return after.status === "elected"
        ? told(
            `leads: ${count(after.params.diameter!, "round")} have shown nothing larger than its id, ${after.id}`,
            "leads",
          )
        : told(`decides: id ${after.leader} leads`, `${after.leader} leads`);
    default:
      if (after.best === null) return told("waits: it has not started");
      if (after.status === "elected") return told(`leads with its id, ${after.id}: there is nobody else`, "leads");
      return told(`starts and floods its id, ${after.id}, to ${neighbours("wave")}`, `starts with ${after.id}`);
  }
};
