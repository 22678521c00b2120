/** The module of WebAssembly that scripts/assemble.js makes of assembly/: compiled once in a thread, and any number of instances. */
import { BYTES } from "./assembly-bytes.ts";

/** What every instance has beside its functions. */
export interface Linear {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
}

let compiled: WebAssembly.Module | null = null;

/** An instance with a memory of its own. Throws where WebAssembly or its vectors are missing, or a page's policy forbids them. */
export function assembled<Functions>(): Linear & Functions {
  compiled ??= new WebAssembly.Module(Uint8Array.from(atob(BYTES), (letter) => letter.charCodeAt(0)));
  return new WebAssembly.Instance(compiled).exports as unknown as Linear & Functions;
}
