/** What of a paper a title speaks of: "Tables 5 to 7 and Theorems 8 and 10" is table5, table6, table7, theorem8, theorem10. */
export function referencesOf(title: string): string[] {
  return [
    ...title.matchAll(/\b(Table|Fig|Theorem|Lemma|Corollary|Algorithm)s?\.? ((?:\d+|I)(?:(?:, | and | to )\d+)*)/g),
  ].flatMap(([, kind, numbers]) => numbersOf(numbers).map((number) => `${kind.toLowerCase()}${number}`));
}

function numbersOf(text: string): number[] {
  return text.split(/, | and /).flatMap((part) => {
    const [first, last = first] = part.split(" to ").map((number) => (number === "I" ? 1 : Number(number)));
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
