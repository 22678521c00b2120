/**
 * The bearer token: from the part of the address after #, which browsers send to nobody, or typed in. It is taken out of the address at
 * once, so that no link that is shared has it, and kept for this tab alone, so that it survives a reload.
 */
const KEY = "sortition-lab-token";
/** What a header can carry. */
const SOUND = /^[\x21-\x7e]{1,512}$/;

export function takeToken(): void {
  const [path, query] = location.hash.split("?", 2);
  if (!path.startsWith("#/live") || query === undefined) return;
  const asked = new URLSearchParams(query);
  const token = asked.get("token");
  if (token === null) return;
  asked.delete("token");
  history.replaceState(null, "", asked.size > 0 ? `${path}?${asked}` : path);
  if (SOUND.test(token)) keepToken(token);
}

export function keptToken(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return held;
  }
}

/** For pages that may store nothing. */
let held: string | null = null;

/** Whether it can be one. */
export function keepToken(token: string | null): boolean {
  if (token !== null && !SOUND.test(token)) return false;
  held = token;
  try {
    if (token === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // It holds for this page then.
  }
  return true;
}
