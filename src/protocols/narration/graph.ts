/** What happens in elections that flood a network or span it with a tree, in words. */
import { count, type Narrate, type Part, type Telling } from "../../narrator.ts";
import type { FloodMaxMessage, FloodMaxState } from "../graph/flood-max.ts";
import type { NetworkSizeMessage, NetworkSizeState, Walker } from "../graph/network-size.ts";
import type { TreeMessage, TreeState, Weight } from "../graph/tree-election.ts";
import type { Decision } from "../ring/common.ts";

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

export const narrateFloodMax: Narrate<FloodMaxState, FloodMaxMessage> = (before, event, after, scene) => {
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

export const narrateTreeElection: Narrate<TreeState, TreeMessage> = (before, event, after, scene) => {
  const part = partOf(after, after.links.length > 0, after.links.length > 0);
  const to = (kind: TreeMessage["kind"]) =>
    event.sent.filter(({ message }) => message.kind === kind).map(({ to: node }) => scene.name(node));
  const wakes = before?.links.length === 0 && after.links.length > 0 ? `wakes, asks ${wokenTo()} to join, and ` : "";
  const told = (says: string, brief: string | null = null): Telling => ({
    says: `${wakes}${says}${then()}`,
    brief,
    part,
  });

  function wokenTo(): string {
    return to("connect")[0];
  }

  /** What follows from it: the search goes on, or has an end. */
  function then(): string {
    const parts = [
      ...to("test").map((node) => `asks ${node} whether it is of another fragment`),
      ...to("report").map((node) => `reports ${found(after.best)} to ${node}`),
      ...to("change-root").map((node) => `sends ${node} to connect over ${linkOf(after.best)}`),
      ...(wakes === "" && event.do === "deliver" ? to("connect").map((node) => `asks ${node} to join`) : []),
    ];
    if (after.status === "elected" && before?.status !== "elected") {
      parts.push("leads: the tree is complete, and of the last link's ends it has the larger id");
    }
    return parts.length === 0 ? "" : `; it ${parts.join(" and ")}`;
  }

  if (event.do !== "deliver") {
    if (after.links.length > 0) return told(`starts and asks ${wokenTo()}, over its lightest link, to join`, "starts");
    return after.status === "elected"
      ? told("leads: there is nobody else", "leads")
      : told("waits: it has not started");
  }
  const { from, message } = event;
  const node = scene.name(from);
  const waits = after.waiting.length > (before?.waiting.length ?? 0);
  switch (message.kind) {
    case "connect":
      if (waits)
        return told(`lets ${node} wait, whose fragment is not smaller: it has not chosen that link itself`, "waits");
      return message.level < (before?.level ?? 0)
        ? told(`takes in the smaller fragment of ${node}`, "takes in")
        : told(`joins with ${node}: both have chosen the link between them`, "joins");
    case "initiate":
      return told(
        `is of fragment ${nameOf(message.core)}, level ${message.level}, now${message.find ? "" : ", whose search is over"}`,
        `level ${message.level}`,
      );
    case "test":
      if (waits) return told(`lets ${node} wait, whose level is higher: it may be of the same fragment soon`, "waits");
      return told(
        to("accept").length > 0
          ? `tells ${node} that it is of another fragment`
          : `sees that ${node} is of its own fragment`,
        to("accept").length > 0 ? "another" : "the same",
      );
    case "accept":
      return told(`learns that ${node} is of another fragment`, "another");
    case "reject":
      return told(`learns that ${node} is of its own fragment`, "the same");
    case "report":
      return told(
        waits
          ? `lets the report of ${node} wait: its own search is not over`
          : `hears of ${found(message.weight)} behind ${node}`,
        after.status === "elected" ? "leads" : null,
      );
    case "change-root":
      return told("is told to let the fragment grow over its lightest outgoing link");
    case "leader":
      return told(`learns from ${node} that id ${message.id} leads`, `${message.id} leads`);
  }
};

const nameOf = ([a, b]: Weight): string => `${a}-${b}`;
const linkOf = (weight: Weight | null): string => (weight === null ? "no link" : `link ${nameOf(weight)}`);
const found = (weight: Weight | null): string =>
  weight === null ? "no outgoing link" : `outgoing link ${nameOf(weight)}`;

export const narrateNetworkSize: Narrate<NetworkSizeState, NetworkSizeMessage> = (before, event, after, scene) => {
  const part: Part =
    after.estimate !== null ? "leads" : after.asks ? "contends" : event.do === "deliver" ? "relay" : "idle";
  const told = (says: string, brief: string | null = null): Telling => ({ says, brief, part });
  const about = (n: number) => `about ${Math.round(n)} processes`;
  const [out] = event.sent;
  /** Where the walk went from here, or what it came to. */
  const goesOn = (arrived: Walker | null): string => {
    if (after.estimate !== null && before?.estimate == null) return `, and knows the answer: ${about(after.estimate)}`;
    if (out === undefined) return "";
    const to = scene.name(out.to);
    if (out.message.kind === "estimate")
      return `, the last repeat it needed, and sends ${to} the answer: ${about(out.message.n)}`;
    if (out.message.kind === "back") return "";
    const { walker } = out.message;
    const taken = walker.samples - (arrived?.samples ?? 0);
    const repeats = walker.repeats - (arrived?.repeats ?? 0);
    const what = taken === 0 ? "" : `, is ${repeats > 0 ? "taken again" : "taken"} as sample ${walker.samples}`;
    return `${what}, and sends the walk on to ${to}`;
  };
  if (event.do !== "deliver") {
    if (!after.asks) return told("does not ask");
    return told(`asks how many there are: it starts a walk${goesOn(null)}`, "asks");
  }
  const { from, message } = event;
  const node = scene.name(from);
  if (message.kind === "estimate") {
    return after.asks && message.origin === after.id
      ? told(`learns that there are ${about(message.n)}`, `about ${Math.round(message.n)}`)
      : told(`passes the answer on towards the process that asked`);
  }
  if (message.kind === "back") return told(`has the walk back from ${node}${goesOn(message.walker)}`);
  if (out?.message.kind === "back")
    return told(`refuses the walk of ${node}: it has more links, and would be met too often`, "refuses");
  return told(`has the walk from ${node}${goesOn(message.walker)}`, sampled(message.walker, out?.message));
};

const sampled = (arrived: Walker, message: NetworkSizeMessage | undefined): string | null => {
  if (message?.kind !== "step" || message.walker.samples === arrived.samples) return null;
  return message.walker.repeats > arrived.repeats ? "again" : "new";
};
