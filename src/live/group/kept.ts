/** The state that a member keeps on disk, and the errors if it cannot be read or written. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { InputError } from "../../errors.ts";
import { fileStore, memoryStore, type Store } from "../store.ts";

interface Owner {
  readonly name: string;
  readonly group: string;
  /** A folder; missing: nothing is kept. */
  readonly state?: string | undefined;
}

export function memberStore(owner: Owner, tellNew: (why: string) => void): Store {
  const store = owner.state === undefined ? memoryStore() : folderStore(owner, owner.state, tellNew);
  let last: unknown = null;
  return {
    ...store,
    // Hosts save after every handler, mostly without a change. A change is always a new object.
    save(saved) {
      if (saved === last) return;
      store.save(saved);
      last = saved;
    },
  };
}

function folderStore({ group, name }: Owner, state: string, tellNew: (why: string) => void): Store {
  let isDamaged = false;
  const folder = join(state, fileName(group));
  const damaged = (why: string) => {
    isDamaged = true;
    tellNew(`${why}; it was put aside, and this is a new member under an old name`);
  };
  const store = usable(state, () => fileStore(folder, fileName(name), { damaged }));
  return {
    ...store,
    load() {
      const saved = store.load();
      if (saved === null && !isDamaged) tellNew(`nothing is saved in ${folder} yet`);
      return saved;
    },
  };
}

/** If the folder cannot be used (a file, a full disk, no permission), the user has to fix that. */
function usable(state: string, open: () => Store): Store {
  try {
    return open();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new InputError(
      (field) => `${field("state")}: nothing can be kept in ${state} (${code}): fix that, or give another folder`,
    );
  }
}

/** A file name for a member's name, which may have any characters. */
function fileName(name: string): string {
  const safe = encodeURIComponent(name).replaceAll(".", "%2E");
  return safe.length <= 100 ? safe : createHash("sha256").update(name).digest("hex");
}

/** An error of the disk in words for the user, since the program cannot fix it. */
export function diskErrorInWords(error: unknown, { name, state }: Owner): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (state === undefined || code === undefined || syscall === undefined) return error;
  return new InputError(
    `${name} has stopped, because its terms and tokens could not be saved in ${state} (${code}): make room or repair the disk, then start it again`,
    { cause: error },
  );
}
