/** The process of a chunk in quarantine (see quarantine.ts): it lives as long as the worker that started it. */
import { startThreads } from "../threads.ts";
import type { ChunkAnswer, ChunkTask } from "../worker.ts";

export type QuarantineOutcome = { readonly answer: ChunkAnswer } | { readonly failure: string };

process.on("disconnect", () => process.exit());
process.once("message", async ({ task, room }: { task: ChunkTask; room: number }) => {
  const answerWith = (outcome: QuarantineOutcome) => process.send!(outcome);
  try {
    // On a thread, so that this one hears when the worker has gone.
    const threads = startThreads(1, room);
    threads.on("error", () => {});
    answerWith({ answer: await threads.run(task) });
  } catch (error) {
    answerWith({ failure: error instanceof Error ? error.message : String(error) });
  }
});
