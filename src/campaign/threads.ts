/** Worker threads for chunks; apart, since its types are those of a package that only Node has. */
import { Piscina } from "piscina";
import { programUrl } from "../package-files.ts";
import { roomFor } from "./room.ts";
import type { ChunkAnswer, ChunkTask } from "./worker.ts";

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
