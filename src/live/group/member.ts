/**
 * One member of a group that lasts, in this process: its socket, its saved state, and the machine that does the rest. What
 * happens is told as events, after the messages of that moment have left; whoever throws in being told stops nothing.
 */

import { group } from "../../elector/group.ts";
import type { GroupCommand } from "../../elector/messages.ts";
import { type GroupParams, groupParams } from "../../elector/params.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "../../elector/report.ts";
import { InputError } from "../../errors.ts";
import { utf8Length } from "../../wire/bytes.ts";
import type { Counters } from "../counters.ts";
import type { Keyring } from "../keyring.ts";
import { realWorld } from "../real-world.ts";
import type { Store } from "../store.ts";
import { openUdp } from "../udp.ts";
import type { Address, Transport, World } from "../world.ts";
import { parsePlace, placeText } from "./address.ts";
import { LARGEST_MESSAGE } from "./datagram.ts";
import { OpenNode } from "./host.ts";
import { inWords, storeOf } from "./kept.ts";
import { checkReach, numbersOf } from "./reach.ts";
import { type Resolve, systemResolve } from "./resolve.ts";
import { Strangers } from "./strangers.ts";

const LONGEST_NAME = 64;
/** Milliseconds after which a member that is still alone says that nobody has answered. */
const PATIENCE = 5000;

/** Events that change how many members there are. */
const COUNTED: ReadonlySet<MemberEvent["event"]> = new Set(["joined", "failed", "left", "view"]);

export interface MemberOptions {
  /** Unique in the group and the same after a restart; up to 64 bytes. */
  readonly name: string;
  /** All members name the same group. */
  readonly group: string;
  /** Where to listen, such as "0.0.0.0:7001"; port 0 takes a free one. */
  readonly bind: string;
  /** Where others reach this member, where that is not `bind`. */
  readonly advertise?: string | undefined;
  /** Where other members may be found. */
  readonly seeds: readonly string[];
  readonly keyring: Keyring;
  /** The folder for what must survive a restart; null: nothing does. */
  readonly state: string | null;
  readonly params?: Partial<GroupParams>;
  onEvent(event: MemberEvent): void;
}

/** What the machine says has happened, and what this process says of itself. */
export type MemberEvent = Omit<GroupEvent, "event"> & {
  readonly event:
    | GroupEvent["event"]
    /** It listens, and where others reach it. */
    | "started"
    /** Nothing was saved, or what was saved is damaged: a new member, perhaps under an old name. */
    | "new"
    /** Nobody has answered yet. */
    | "alone"
    /** A name of which no address is known. */
    | "unresolved"
    /** Datagrams that were not acted on: of another key, group or version. */
    | "dropped";
  readonly address?: string;
  /** With `leader`: how sure it is to be the only one, and by which loss (`EPSILON_CAVEAT` says what is left out). */
  readonly odds?: Pick<OfficeReport, "epsilon" | "loss" | "lossLow" | "lossFrom" | "protocol">;
};

/** A member that runs. */
export interface RunningMember {
  readonly address: string;
  readonly counters: Counters;
  report(): GroupReport;
  command(command: GroupCommand): void;
  rekey(keyring: Keyring): void;
  /** Gives up its offices, says goodbye, and ends. */
  leave(): Promise<void>;
  /** Comes true when it has left; rejects where it had to stop. */
  readonly ended: Promise<void>;
}

/** Starts a member; rejects where it cannot start. */
export async function runMember(options: MemberOptions): Promise<RunningMember> {
  const { name, seeds } = options;
  checkName(name, "a member");
  checkName(options.group, "a group");
  for (const seed of seeds) parsePlace(seed, "join");
  const listening = await numbersOf(options.bind, "bind");
  const advertised = options.advertise === undefined ? listening : await numbersOf(options.advertise, "advertise");
  checkReach(advertised, options.bind, seeds);
  const news: MemberEvent[] = [];
  const store = storeOf(options, (why) => news.push({ event: "new", member: name, why }));
  try {
    const transport = await openUdp(listening);
    const port = advertised.port === 0 ? transport.address.port : advertised.port;
    const reached = { host: advertised.host, port };
    news.push({ event: "started", member: name, address: placeText(reached) });
    return startMember(options, { world: realWorld, resolve: systemResolve, transport, store, reached }, news);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** What a member runs on. */
export interface Means {
  readonly world: World;
  readonly transport: Transport;
  readonly resolve: Resolve;
  readonly store: Store;
  /** Where others reach it. */
  readonly reached: Address;
}

/** As `runMember`, in a world that is given. */
export function startMember(options: MemberOptions, means: Means, news: MemberEvent[] = []): RunningMember {
  const { name, seeds, keyring, onEvent } = options;
  const { world, reached } = means;
  let report: GroupReport | null = null;
  let hasMet = false;
  /** How many members there were in the last view that was told. */
  let told = -1;
  let failure: unknown = null;
  let end = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = (error) => {
      failure = error;
      reject(error);
    };
  });
  const tell = (event: MemberEvent) => {
    try {
      onEvent(event);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
  const dropped = (why: string) => tell({ event: "dropped", why });
  const strangers = new Strangers(world, dropped);
  const node = new OpenNode(
    {
      ...means,
      ...{ machine: group(), name, group: options.group, keyring, seeds, advertised: reached },
      params: groupParams({ ...options.params, name }),
    },
    {
      reported(latest) {
        const isNews = (latest as GroupReport).version !== report?.version;
        report = latest as GroupReport;
        const { members } = report;
        hasMet ||= members > 1;
        if (!isNews) return;
        for (const event of report.news) {
          if (event.event === "view" && members === told) continue;
          if (event.event === "view") told = members;
          news.push(COUNTED.has(event.event) ? { ...event, members } : withOdds(event, report));
        }
      },
      released() {
        for (const event of news.splice(0)) tell(event);
        if (report?.refused == null) return;
        void node.close();
        fail(new InputError(report.refused));
      },
      failed: (error) => fail(inWords(error, options)),
      refused: (reason, version) => strangers.refused(reason, version),
      unresolved: (address, why) => tell({ event: "unresolved", address, why: `${why}; it is looked up again` }),
      oversized: (bytes) => dropped(`a message of ${bytes} bytes was not sent: a datagram holds ${LARGEST_MESSAGE}`),
    },
  );
  node.start();
  // Whoever waits for the end is told of a failure; where nobody does, it must not end the process.
  ended.catch(() => {});
  if (failure !== null) throw failure;
  const others = seeds.filter((seed) => seed !== placeText(reached));
  const patience = world.set(PATIENCE, () => {
    if (hasMet || others.length === 0) return;
    tell({
      event: "alone",
      why: `nobody has answered at ${others.join(", ")}; this member goes on asking. Is one there, with the same key and the same group name?`,
    });
  });
  ended.then(patience, patience);
  return {
    address: placeText(reached),
    counters: node.counters,
    report: () => report!,
    command: (command) => node.command(command),
    rekey: (keys) => node.rekey(keys),
    leave: () => node.leave().then(end),
    ended,
  };
}

/** Where the setting of the election is known. */
function withOdds(event: GroupEvent, { offices }: GroupReport): MemberEvent {
  if (event.event !== "leader" || event.office === undefined) return event;
  const { epsilon, loss, lossLow, lossFrom, protocol } = offices[event.office];
  return loss === null ? event : { ...event, odds: { epsilon, loss, lossLow, lossFrom, protocol } };
}

export function checkName(name: string, whose: string): void {
  const length = utf8Length(name);
  if (length > 0 && length <= LONGEST_NAME) return;
  throw new InputError(`the name of ${whose} has 1 to ${LONGEST_NAME} bytes, and "${name}" has ${length}`);
}
