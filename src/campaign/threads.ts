/** Worker threads for chunks; apart, since its types are those of a package that only Node has. */
import { Piscina } from "piscina";
import { roomFor } from "./room.ts";
import type { ChunkAnswer, ChunkTask } from "./worker.ts";

/** Under Node's type stripping the sources run as they are; the package has compiled ones. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url).href;

/** `room`: the memory of each in bytes. Node's own limit is some gigabytes, however many there are. */
export const startThreads = (threads: number, room = roomFor(threads)): Piscina<ChunkTask, ChunkAnswer> =>
  new Piscina<ChunkTask, ChunkAnswer>({
    filename: WORKER,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(LEAST_MEGABYTES, Math.floor(room / 2 ** 20)) },
  });

/** Without so much no thread starts. */
const LEAST_MEGABYTES = 64;
