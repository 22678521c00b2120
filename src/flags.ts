/** How a field of the library is written on the command line. */

/** largestComponent: --largest-component. What is a flag already stays one. */
export const flagOf = (field: string): string =>
  field.startsWith("-") ? field : `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** largestComponent: largest component */
export const wordsOf = (field: string): string => flagOf(field).slice(2).replaceAll("-", " ");
