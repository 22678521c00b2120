/** What carries a group's datagrams, by its name in the settings. */
import type { Address, Transport } from "../world.ts";
import { openTcp } from "./tcp.ts";
import { openUdp } from "./udp.ts";

export const openTransport = (at: Address, name: "udp" | "tcp" = "udp"): Promise<Transport> =>
  name === "tcp" ? openTcp(at) : openUdp(at);
