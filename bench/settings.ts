/** Settings that several parts of the bench share. */
import type { AnyProtocol } from "../src/protocol.ts";

/** A network on which messages have somewhere to go, for protocols that have none of their own. */
export const ownNetwork = ({ assumes }: AnyProtocol): { topology?: string } =>
  assumes.topology === "connected" ? { topology: "regular:8" } : {};
