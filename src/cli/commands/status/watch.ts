/** `sortition status --watch`: drawn anew on a terminal whenever something happens, or a line for each event. */
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentClient, AgentError, type AgentEvent, type AgentStatus } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import { isKnownEvent, type ToldEvent } from "../../../events/events.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { narrator } from "../../text/events.ts";
import { harmless } from "../../text/table.ts";
import { painter, print } from "../../text/terminal.ts";
import { statusText } from "./view.ts";

/** Milliseconds before a lost agent is asked again. */
const RETRY = 1000;
/** At least so long between two pictures, and at most: what is left of a lease, and keys, change without an event. */
const QUICKEST = 200;
const SLOWEST = 1000;

type Choose = (status: AgentStatus) => AgentStatus;

/** Events for as long as wanted: an agent that ends, or is restarted, is asked again. `lost`: why it cannot be asked, once. */
async function* follow(
  client: AgentClient,
  signal: AbortSignal,
  lost: (why: string) => void,
): AsyncGenerator<AgentEvent, void> {
  let last: string | null = null;
  let isFirst = true;
  let isLost = false;
  while (!signal.aborted) {
    try {
      for await (const event of client.events(signal, { after: last })) {
        isFirst = false;
        isLost = false;
        last = event.id || last;
        yield event;
      }
      if (!isLost && !signal.aborted) lost("the agent has ended the stream");
    } catch (error) {
      if (signal.aborted) return;
      // What is wrong from the start, or is refused, will be so again.
      if (!(error instanceof AgentError) || isFirst || !isPassing(error)) throw error;
      if (!isLost) lost(error.message);
    }
    isLost = true;
    await sleep(RETRY, undefined, { signal }).catch(() => {});
  }
}

const isPassing = ({ status }: AgentError): boolean => status === null || status >= 500;

/** A line for each event; first one for each office. */
export async function printEvents(io: Io, client: AgentClient, choose: Choose, isJson: boolean): Promise<void> {
  const { signal, stop } = onInterrupt(io);
  const words = narrator();
  const say = (at: number, event: Said) => {
    if (isJson) print(io, JSON.stringify({ at, ...event }));
    else for (const line of linesOf(words, at, event)) print(io, harmless(line));
  };
  try {
    for await (const { event, data } of follow(client, signal, (why) => say(Date.now(), { event: "lost", why }))) {
      const { at, ...fields } = data as { readonly at: number };
      if (event !== "status") say(at, { event, ...fields });
      else if (isJson) say(at, { event, ...choose(data as AgentStatus) });
      else for (const seen of firstEvents(choose(data as AgentStatus))) say(at, seen);
    }
  } finally {
    stop();
  }
}

/** What is printed: an event of the agent, or `lost`. */
type Said = { readonly event: string; readonly why?: string };

/** What holds at the start, as if it had just happened. */
function firstEvents({ offices, members }: AgentStatus): readonly ToldEvent[] {
  return [
    { event: "view", members: members.members.length },
    ...offices.map(
      ({ office, term, leader, token }): ToldEvent =>
        leader === null
          ? { event: "leaderless", office, term }
          : {
              event: leader.state === "unreachable" ? "unreachable" : "leader",
              office,
              term,
              leader: leader.name,
              token,
            },
    ),
  ];
}

function linesOf(words: ReturnType<typeof narrator>, at: number, said: Said): string[] {
  if (isKnownEvent(said.event)) return words(at, said as ToldEvent);
  const time = new Date(at).toISOString().slice(11, 23);
  // An agent of a later version has other events.
  return [`${time}  ${said.event === "lost" ? `${said.why}; asking again` : JSON.stringify(said)}`];
}

/** The other screen, so that what was on this one is there again afterwards; and no cursor. */
const [ENTER, LEAVE] = ["\u001b[?1049h\u001b[?25l", "\u001b[?25h\u001b[?1049l"];
const [HOME, REST_OF_LINE, REST_OF_SCREEN] = ["\u001b[H", "\u001b[K", "\u001b[J"];

export async function drawStatus(io: Io, client: AgentClient, choose: Choose): Promise<void> {
  // Whatever is wrong from the start is said on the ordinary screen.
  let status = choose(await client.status());
  let asked = performance.now();
  let trouble = "";
  const { signal, stop } = onInterrupt(io);
  const { stdout } = io;
  const paint = painter(stdout);
  const leave = () => void stdout.write(LEAVE);
  const draw = () => {
    const [width, height] = [stdout.columns ?? 80, stdout.rows ?? 24];
    const elapsed = performance.now() - asked;
    const rows = Math.max(3, height - 14 - Math.min(status.offices.length, height / 3));
    const text = statusText(status, { rows, width, paint, elapsed });
    const last = trouble === "" ? "Ctrl-C ends this." : harmless(trouble);
    const lines = [
      ...text.split("\n").slice(0, height - 2),
      paint(trouble === "" ? "dim" : "yellow", last.slice(0, width)),
    ];
    stdout.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join("\n")}${REST_OF_SCREEN}`);
  };
  let wake = () => {};
  const happened = () => wake();
  const listening = (async () => {
    for await (const _event of follow(client, signal, happened)) happened();
  })();
  listening.catch(happened);
  stdout.write(ENTER);
  io.on("exit", leave);
  stdout.on("resize", draw);
  try {
    while (!signal.aborted) {
      draw();
      await Promise.race([
        sleep(SLOWEST, undefined, { signal }).catch(() => {}),
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      ]);
      await sleep(QUICKEST, undefined, { signal }).catch(() => {});
      const before = performance.now();
      try {
        status = choose(await client.status());
        asked = before;
        trouble = "";
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        trouble = `Asking again: ${error.message}`;
      }
    }
  } finally {
    stdout.off("resize", draw);
    io.off("exit", leave);
    leave();
    stop();
  }
}
