/** How a field of the library is written on the command line. */

/** multicastLoss: --multicast-loss. What is a flag already stays one. */
export const flagOf = (field: string): string =>
  field.startsWith("--") ? field : `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** multicastLoss: multicast loss */
export const wordsOf = (field: string): string => flagOf(field).slice(2).replaceAll("-", " ");
