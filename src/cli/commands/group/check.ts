/** `sortition agent --check`: every setting with its value and its origin, and whether what it names can be used. */
import { type CheckFinding, checkMeans } from "../../../live/agent/check.ts";
import type { Configured } from "../../../live/agent/config.ts";
import type { AgentSettings } from "../../../live/agent/settings.ts";
import { AGENT_KEYS, type AgentKey, agentSetting } from "../../../settings/member.ts";
import type { Io } from "../../io.ts";
import { table } from "../../text/table.ts";
import { painter, print, terminalWidth } from "../../text/terminal.ts";

const MARKS: Readonly<Record<CheckFinding["is"], string>> = { well: "ok", noted: "note", wrong: "WRONG" };

/** Whether an agent could start with it. */
export async function checkAll(io: Io, { settings, origins, warnings }: Configured): Promise<boolean> {
  const paint = painter(io.stdout);
  const heading = (text: string) => paint("bold", text);
  const width = terminalWidth(io);
  const values = AGENT_KEYS.flatMap((key) => {
    const value = shown(key, settings);
    return value === null ? [] : [[key, value, origins.get(key) ?? "default"]];
  });
  print(io, table([{ title: "setting" }, { title: "value" }, { title: "from" }], values, { heading }));
  const findings = await checkMeans(settings);
  const said = [
    ...findings.map(({ about, is, why }) => [about, MARKS[is], why]),
    ...warnings.map((why) => ["", "warning", why]),
  ];
  print(io, "");
  print(io, table([{ title: "checked" }, { title: "" }, { title: "", wrap: true }], said, { heading, width }));
  const wrong = findings.filter(({ is }) => is === "wrong").map(({ about }) => about);
  print(
    io,
    wrong.length === 0 ? "\nAn agent can start with this." : `\nAn agent cannot start with this: ${wrong.join(", ")}`,
  );
  return wrong.length === 0;
}

/** Null where nothing is said and nothing follows. */
function shown(key: AgentKey, settings: AgentSettings): string | null {
  const value = settings[key];
  if (value === undefined) return null;
  if (key === "lease") return withoutPassword(String(value));
  if (agentSetting(key).secret) return "(not shown)";
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

/** Of a database only that it is one: what is checked says which. */
const withoutPassword = (address: string): string =>
  address.startsWith("sqlite:") ? address : address.replace(/:.*/s, "://...");
