/** Keys that can be replaced while a process runs. */
import { InputError } from "../../../errors.ts";
import type { Keyring } from "../../../live/net/keyring.ts";
import type { Io } from "../../io.ts";

/** SIGHUP reads the keys again. Calling the result ends that. */
export function onHangUp(io: Io, read: () => Keyring, use: (keyring: Keyring) => void): () => void {
  const reload = () => {
    try {
      use(read());
    } catch (error) {
      // A half-written key file must not end a running process: it goes on with the keys it has.
      if (!(error instanceof InputError)) throw error;
      io.stderr.write(`sortition: ${error.message}; the keys stay as they were\n`);
    }
  };
  io.on("SIGHUP", reload);
  return () => io.off("SIGHUP", reload);
}
