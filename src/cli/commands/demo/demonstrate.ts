/** One demo from beginning to end, whichever end that is. */

import { AgentError } from "../../../api/client.ts";
import { InputError } from "../../../errors.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { plural } from "../../text/figures.ts";
import { painter, print } from "../../text/terminal.ts";
import type { Led } from "./observatory.ts";
import type { DemoAct } from "./server.ts";
import { DemoStage } from "./stage.ts";
import { createTeller, tellDemo, took } from "./story.ts";

interface DemoChoice {
  readonly n: number;
  readonly port: number;
  /** It ends when all was shown. */
  readonly isOnce: boolean;
}

export async function demonstrate(io: Io, { n, port, isOnce }: DemoChoice): Promise<void> {
  const since = Date.now();
  const interrupt = onInterrupt(io);
  const ending = new Promise<never>((_, reject) => {
    interrupt.signal.addEventListener("abort", () => reject(new Interrupted()));
  });
  ending.catch(() => {});
  const after = new Aftermath(io);
  let lost: (error: Error) => void = () => {};
  const failing = new Promise<never>((_, reject) => {
    lost = reject;
  });
  failing.catch(() => {});
  const stage = new DemoStage(io, {
    led: (led) => after.led(led),
    asked: (act, name) => after.asked(act, name),
    lost: ({ name }, why) => {
      if (after.isOpen) after.say(`${name} has ended by itself: ${why}`);
      else lost(new InputError(`the agent ${name} of the demo has ended: ${why}`));
    },
  });
  try {
    const url = await stage.serve(port);
    print(io, `Sortition: ${plural(n, "agent")} on this machine`);
    const story = tellDemo(stage, n, createTeller(io)).catch(async (error: unknown) => {
      // One that does not answer may have ended, and why it has is on its way.
      if (error instanceof AgentError) await new Promise((resolve) => setTimeout(resolve, 500));
      throw error;
    });
    await Promise.race([story, failing, ending]);
    if (!isOnce) {
      after.open(url, stage.token);
      await ending;
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    // Ctrl-C is how a demo that goes on is ended; before that it is an interruption.
    if (!after.isOpen) io.exitCode = 130;
  } finally {
    await stage.end();
    interrupt.stop();
  }
  if (isOnce && io.exitCode !== 130)
    print(io, `\nAll of it in ${took(Date.now() - since)}; no process is left. See it on a page: npx sortition demo`);
}

class Interrupted extends Error {}

/** What happens after the story, when somebody plays with the processes. */
class Aftermath {
  isOpen = false;
  private readonly io: Io;
  private leader: Led | null = null;
  /** When the leader was killed or paused. */
  private struckAt: number | null = null;

  constructor(io: Io) {
    this.io = io;
  }

  open(url: string, token: string): void {
    this.isOpen = true;
    const bold = (text: string) => painter(this.io.stdout)("bold", text);
    print(this.io, `\n${bold("It goes on")}`);
    print(this.io, `   page       ${url}/lab/#/live?token=${token}`);
    print(this.io, `   API        curl ${url}/v1/leader`);
    print(this.io, "   Kill, pause and start processes on the page. Ctrl-C ends all of it.\n");
  }

  led(led: Led): void {
    this.leader = led;
    const late = this.struckAt === null ? "" : `, ${took(led.ledAt - this.struckAt)} later`;
    this.struckAt = null;
    if (this.isOpen) this.say(`${led.leader} leads in term ${led.term} with token ${led.token}${late}`);
  }

  asked(act: DemoAct, name: string): void {
    const leads = this.leader?.leader === name;
    if (leads && (act === "kill" || act === "pause")) this.struckAt = Date.now();
    this.say(`${act} ${name}${leads ? ", who leads" : ""}`);
  }

  say(words: string): void {
    print(this.io, `   ${new Date().toTimeString().slice(0, 8)}  ${words}`);
  }
}
