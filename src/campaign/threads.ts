/** Worker threads for chunks; apart, since its types are those of a package that only Node has. */
import { Piscina } from "piscina";
import { programUrl } from "../package-files.ts";
import type { ChunkAnswer, ChunkTask } from "./worker.ts";

/** How much memory each of some threads may take: what the machine, or the container, has left, less a reserve. */
const SHARE = 0.85;

/** In bytes. */
export const roomFor = (threads: number): number => (SHARE * process.availableMemory()) / Math.max(1, threads);

/** `room`: the memory of each in bytes. Node's own limit is some gigabytes, however many there are. */
export const startThreads = (threads: number, room = roomFor(threads)): Piscina<ChunkTask, ChunkAnswer> =>
  new Piscina<ChunkTask, ChunkAnswer>({
    filename: programUrl("campaign-thread").href,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(LEAST_MEGABYTES, Math.floor(room / 2 ** 20)) },
  });

/** Without so much no thread starts. */
const LEAST_MEGABYTES = 64;
