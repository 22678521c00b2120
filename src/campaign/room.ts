/** How much memory each of some threads may take: what the machine, or the container, has left, less a reserve. */
import { availableMemory } from "node:process";

const SHARE = 0.85;

/** In bytes. */
export const roomFor = (threads: number): number => (SHARE * availableMemory()) / Math.max(1, threads);
