import type { AskingMarks, AskingSizes } from "./asking.ts";
import { assembledAsking } from "./assembled.ts";
import { plainAsking } from "./plain.ts";

/** In WebAssembly where there is any, and otherwise in JavaScript, with the same draws and the same marks. */
export const openAsking = (sizes: AskingSizes): AskingMarks => assembledAsking(sizes) ?? plainAsking(sizes);
