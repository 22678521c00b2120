/** `sortition elect PROTOCOL`: this process takes part in one election over the network. */
import type { Command } from "commander";
import { openUdp } from "../../live/net/udp.ts";
import { LiveMember } from "../../live/once/member.ts";
import { onHangUp } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { type ElectFlags, electOptions, setupFrom } from "../options/elect.ts";
import { protocolFrom } from "../options/protocol-file.ts";
import { examples, print } from "../text/terminal.ts";

const NO_VERDICT = 3;
const INTERRUPTED = 130;

export function define(command: Command, io: Io): void {
  command
    .description(
      "This process takes part in one election over UDP and prints its outcome as one JSON object. Status 0: it has a verdict. 3: it has none, or heard nobody else, and the outcome says why. SIGHUP reads the key file again.",
    )
    .argument("[protocol]", 'its name; "sortition protocols" lists them');
  for (const option of electOptions()) command.addOption(option);
  command
    .addHelpText(
      "after",
      examples(
        [
          [
            "sortition elect chang-roberts --self 1 --members group.txt --key-file group.key",
            "start one such process for each line of group.txt, with its --self",
          ],
          [
            "sortition elect chang-roberts --self 1 --members group.txt --insecure --loss 0.05",
            "on loopback, without a key, losing every twentieth datagram",
          ],
        ],
        "docs/how-it-works.md",
      ),
    )
    .action(elect.bind(null, io));
}

async function elect(io: Io, name: string | undefined, flags: ElectFlags): Promise<void> {
  const { protocol } = await protocolFrom(name, flags.protocolFile);
  const { self, keyring, options, loss, seed } = setupFrom(protocol, flags);
  let member: LiveMember | null = null;
  let keys = keyring();
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  const stopReading = onHangUp(io, keyring, (fresh) => {
    keys = fresh;
    member?.rekey(keys);
  });
  io.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    const transport = await openUdp(self);
    member = new LiveMember({
      self: self.id,
      members: options.membership.members,
      keyring: keys,
      transport,
      ...(loss > 0 ? { impairment: { loss, delay: 0, seed } } : {}),
    });
    const outcome = await member.elect({ ...options, signal: controller.signal });
    print(io, JSON.stringify(outcome));
    if (controller.signal.aborted) io.exitCode = INTERRUPTED;
    else if (outcome.reason !== null) io.exitCode = NO_VERDICT;
  } finally {
    io.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    stopReading();
    await member?.close();
  }
}
