import { distance } from "fastest-levenshtein";

/** A message that names fields through `name`: as a program writes them, or as the flags of a command line. */
export type Wording = (name: (field: string) => string) => string;

/** Something the user can fix: shown as one line that says what to change, never as a stack trace. */
export class InputError extends Error {
  override readonly name: string = "InputError";
  readonly #wording: Wording;

  constructor(message: string | Wording, options?: ErrorOptions) {
    const wording = typeof message === "string" ? () => message : message;
    super(
      wording((field) => field),
      options,
    );
    this.#wording = wording;
  }

  get wording(): Wording {
    return this.#wording;
  }
}

/** What to throw after the import of a package that only some users install. `words`: who needs the package, and how to install it. */
export const notInstalled = (error: unknown, words: string): unknown =>
  (error as { readonly code?: string }).code === "ERR_MODULE_NOT_FOUND" ? new InputError(words) : error;

/** Something that a protocol did, which its author can fix: the stack is that of the author's own code. */
export class ProtocolError extends InputError {
  override readonly name = "ProtocolError";

  constructor(message: string, stack: string, options?: ErrorOptions) {
    super(message, options);
    this.stack = `${this.name}: ${message}\n${stack}`;
  }
}

/** "did you mean ...?", when one of the known names is near enough to what was typed. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, distance: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)) || name.startsWith(typed))
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? "" : `; did you mean "${near.name}"?`;
}

/** largestComponent: --largest-component. What is a flag already stays one. */
export const flagOf = (field: string): string =>
  field.startsWith("-") ? field : `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** largestComponent: largest component */
export const wordsOf = (field: string): string => flagOf(field).slice(2).replaceAll("-", " ");
