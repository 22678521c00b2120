/** Edits a file and is killed on the way, for real: node dying-editor.ts FILE write|sync|rename. */
import { fsyncSync, renameSync, writeSync } from "node:fs";
import { editSecret } from "../../src/live/files.ts";

const [, , file, when] = process.argv;
const dieAt = (step: string) => {
  if (step !== when) return;
  process.kill(process.pid, "SIGKILL");
  // The signal comes at once, but not before this line.
  for (;;);
};
editSecret(file, () => "new\n", {
  write(descriptor, bytes, at) {
    dieAt("write");
    return writeSync(descriptor, bytes, at);
  },
  sync(descriptor) {
    dieAt("sync");
    fsyncSync(descriptor);
  },
  rename(from, to) {
    dieAt("rename");
    renameSync(from, to);
  },
});
