/** What a handler of a group works with, where nothing comes of it. */
import type { GroupContext } from "../../src/elector/state.ts";

const nothing = () => {};
export const context = {
  degree: 0,
  ports: () => [],
  linked: () => false,
  address: () => "10.0.0.1:7001",
  choose: () => 0,
  coin: () => false,
  sample: () => [],
  link: () => 0,
  peer: () => null,
  enter: () => true,
  ...Object.fromEntries(
    ["send", "multicast", "arm", "deadline", "disarm", "unlink", "measure", "series"].map((name) => [name, nothing]),
  ),
} as unknown as GroupContext;
