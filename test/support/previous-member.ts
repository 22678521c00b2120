/** node previous-member.ts MAIN NODE BIN ARGS...: the command line of an earlier version, in place of today's. */
import { pathToFileURL } from "node:url";

const [, , main, node, bin, ...args] = process.argv;
process.on("SIGHUP", () => {});
const { main: run } = (await import(pathToFileURL(main).href)) as { main(argv: readonly string[]): Promise<void> };
await run([node, bin, ...args]);
