/** Light or dark: as the system has it, until somebody chooses. */
const KEY = "sortition-lab-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

type Theme = "light" | "dark";

function chosen(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    // Pages that may store nothing follow the system.
    return null;
  }
}

const themeNow = (): Theme => chosen() ?? (system.matches ? "dark" : "light");

export function applyTheme(): void {
  document.documentElement.dataset.theme = themeNow();
}

export function switchTheme(): Theme {
  const next: Theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It holds for this page then.
  }
  document.documentElement.dataset.theme = next;
  return next;
}

system.addEventListener("change", applyTheme);

/** Calls back when the colours have changed. */
export function onTheme(then: () => void): () => void {
  const observer = new MutationObserver(then);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
