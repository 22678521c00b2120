/** Worker threads for chunks; apart, since its types are those of a package that only Node has. */
import { Piscina } from "piscina";
import type { Answer, Task } from "./worker.ts";

/** Under Node's type stripping the sources run as they are; the package has compiled ones. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url).href;

export const startThreads = (threads: number): Piscina<Task, Answer> =>
  new Piscina<Task, Answer>({ filename: WORKER, minThreads: threads, maxThreads: threads });
