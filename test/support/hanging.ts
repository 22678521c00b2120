/** Protocols that do not return: from a handler, from their verdict. */
import { changRoberts } from "../../src/protocols/ring/chang-roberts.ts";

function forEver(): never {
  for (;;);
}

export const hanging = { ...changRoberts, name: "hanging", receive: forEver };
export const pondering = { ...changRoberts, name: "pondering", verdict: forEver };
