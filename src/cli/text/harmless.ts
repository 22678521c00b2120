/** Names come over the network, and a terminal obeys more than letters: what is no letter, digit, sign or space is shown by its number. */

/** Control characters, those that turn the direction of writing, and those that nobody sees. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export const harmless = (text: string): string =>
  text.replace(HARMFUL, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** Of at most so many characters, the last of which says that there are more. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** Names in a sentence: a few of them, and how many more. */
export function named(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).map(harmless);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
