/** One demo from beginning to end, whichever end that is. */
import { InputError } from "../../errors.ts";
import { AgentError } from "../../live/agent/client.ts";
import { plural } from "../figures.ts";
import { onInterrupt } from "../interrupt.ts";
import { painter, print } from "../terminal.ts";
import type { Led } from "./observatory.ts";
import type { DemoAct } from "./server.ts";
import { Stage } from "./stage.ts";
import { tell } from "./story.ts";
import { createTeller, took } from "./teller.ts";

export interface DemoChoice {
  readonly n: number;
  readonly port: number;
  /** It ends when all was shown. */
  readonly isOnce: boolean;
}

export async function demonstrate({ n, port, isOnce }: DemoChoice): Promise<void> {
  const since = Date.now();
  const interrupt = onInterrupt();
  const ending = new Promise<never>((_, reject) => {
    interrupt.signal.addEventListener("abort", () => reject(new Interrupted()));
  });
  ending.catch(() => {});
  const after = new Aftermath();
  let lost: (error: Error) => void = () => {};
  const failing = new Promise<never>((_, reject) => {
    lost = reject;
  });
  failing.catch(() => {});
  const stage = new Stage({
    led: (led) => after.led(led),
    asked: (act, name) => after.asked(act, name),
    lost: ({ name }, why) => {
      if (after.isOpen) after.say(`${name} has ended by itself: ${why}`);
      else lost(new InputError(`the agent ${name} of the demo has ended: ${why}`));
    },
  });
  try {
    const url = await stage.serve(port);
    print(`Sortition: ${plural(n, "agent")} on this machine`);
    const story = tell(stage, n, createTeller()).catch(async (error: unknown) => {
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
    if (!after.isOpen) process.exitCode = 130;
  } finally {
    await stage.end();
    interrupt.stop();
  }
  if (isOnce && process.exitCode !== 130)
    print(`\nAll of it in ${took(Date.now() - since)}; no process is left. See it on a page: npx sortition demo`);
}

class Interrupted extends Error {}

/** What happens after the story, when somebody plays with the processes. */
class Aftermath {
  isOpen = false;
  private leader: Led | null = null;
  /** When whoever leads was killed or paused. */
  private struckAt: number | null = null;

  open(url: string, token: string): void {
    this.isOpen = true;
    const bold = (text: string) => painter(process.stdout)("bold", text);
    print(`\n${bold("It goes on")}`);
    print(`   page       ${url}/lab/#/live?token=${token}`);
    print(`   API        curl ${url}/v1/leader`);
    print("   Kill, pause and start processes on the page. Ctrl-C ends all of it.\n");
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
    print(`   ${new Date().toTimeString().slice(0, 8)}  ${words}`);
  }
}
