/** What carries a group's datagrams, by its name in the settings. */
import type { Address, Transport } from "../world.ts";
import { openUdp } from "./udp.ts";

export const openTransport = async (at: Address, name: "udp" | "tcp" = "udp"): Promise<Transport> =>
  name === "tcp" ? (await import("./tcp.ts")).openTcp(at) : openUdp(at);
