/** How much memory each of some threads may take: what the machine, or the container, has left, less a reserve. */
const SHARE = 0.85;

/** In bytes. */
export const roomFor = (threads: number): number => (SHARE * process.availableMemory()) / Math.max(1, threads);
