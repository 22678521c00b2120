/** Bugs in the SQL of guards, by name: what each makes of a statement. */
const within = (from: string, to: string) => (text: string) => text.replace(from, to);

export const changes: Readonly<Record<string, (text: string) => string>> = {
  "< for <=": within(" OR (kept.token = excluded.token AND kept.lease = excluded.lease)", ""),
  "an equal token with another lease id accepted": within(" AND kept.lease = excluded.lease", ""),
  "no comparison at all": within("WHERE kept.token <", "WHERE true OR kept.token <"),
  "the row is not locked until the write commits": (text) => (/^BEGIN|^COMMIT/.test(text) ? "SELECT 1" : text),
};
