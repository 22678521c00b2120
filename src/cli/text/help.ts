/** The parts that the help of every command has in common. */

/** Examples with what each shows, and where to read on. */
export function examples(lines: readonly (readonly [command: string, shows: string])[], readOn: string): string {
  const shown = lines.map(([command, shows]) => `  ${command}\n      ${shows}`);
  return `\nExamples:\n${shown.join("\n")}\n\nRead on: ${readOn}`;
}
