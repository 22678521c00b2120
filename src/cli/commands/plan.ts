/** `sortition plan`: which protocol, with which numbers, and how sure can I be? */
import type { Command } from "commander";
import { campaign } from "../../campaign/campaign.ts";
import { plan, planSteps, VERIFIED } from "../../planner/plan.ts";
import { checkPlan, PLAN } from "../../planner/setting.ts";
import type { Given } from "../../setting.ts";
import type { Io } from "../io.ts";
import { addSettings, jsonOption } from "../options/options.ts";
import { protocolFileOption, protocolFrom } from "../options/protocol-file.ts";
import { examples } from "../text/help.ts";
import { printPlan } from "../text/plan.ts";
import { StepBar } from "../text/step-bar.ts";
import { painter, print } from "../text/terminal.ts";

interface PlanCommand extends Given<typeof PLAN> {
  readonly protocolFile?: string;
  readonly verify?: true;
  readonly json?: true;
}

export function define(command: Command, io: Io): void {
  command.description(
    "Which protocol to use, with which parameters, and what to expect: say how many you are, what the network loses and how sure you must be. The first line is the advice; then every protocol that can do it, those that no other beats in datagrams, time and risk with a star; then the rest, with the reason. Without --multicast a multicast is reckoned as live members send it: to each of up to 32, by rumour among more.",
  );
  addSettings(command.addOption(protocolFileOption()), PLAN)
    .option("--verify", `simulate the first ${VERIFIED} and show 95% intervals beside the predictions`)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition plan --n 500 --loss 0.01 --crash 0.001", "500 servers in a cloud"],
          ["sortition plan --n 50 --loss 0.1 --multicast", "50 sensors on a radio, where all hear what one sends"],
          ["sortition plan --n 3 --loss 0.001 --none 0.01 --several 1e-9", "a retry is cheap, two leaders are not"],
          ["sortition plan --topology torus:8x8 --within 400tau", "a network where messages take many hops"],
          ["sortition plan --n 100 --loss 0.01 --within 300ms --tau 50", "a deadline in milliseconds"],
          ["sortition plan --n 1000 --council 4..8 --loss 0.05", "a council instead of a leader"],
          ["sortition plan --n 100 --success 0.99 --loss 0.01 --verify", "predictions beside simulations"],
        ],
        "docs/plan.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, { json, protocolFile, ...given }: PlanCommand): Promise<void> {
  const own = protocolFile === undefined ? null : await protocolFrom(undefined, protocolFile);
  const request = { ...given, protocols: own === null ? [] : [own.protocol] };
  const setting = checkPlan(request);
  const bar = new StepBar(io.stderr, planSteps(request));
  const threads = io.threads;
  const result = await plan(request, {
    run: (settings, options) => campaign(settings, { ...options, threads }),
    onProgress: (done, what) => bar.show(done, what),
  }).finally(() => bar.clear());
  print(io, json ? JSON.stringify(result) : printPlan(io, setting, result, painter(io.stdout), own, protocolFile));
}
