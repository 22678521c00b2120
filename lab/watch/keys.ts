/** The keys of every view with a run. They work wherever the focus is, except where somebody types or chooses. */
import type { Session } from "./session.svelte.ts";

const SPEEDS = [0.25, 1, 4, 16];

/** Whether the focus is where keys have a meaning of their own: text, lists, dialogs. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("dialog[open]") !== null) return true;
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Arrows move the slider that has the focus; the one of time steps by itself. */
const isSlider = (target: EventTarget | null): boolean => target instanceof HTMLInputElement && target.type === "range";

/** Whether a key was meant for the run, which then has heard of it. */
export function onRunKey(event: KeyboardEvent, session: Session): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  const isArrow = event.key.startsWith("Arrow");
  if (isArrow && isSlider(event.target)) return false;
  if (!act(event.key, session)) return false;
  event.preventDefault();
  return true;
}

/** Firefox presses a focused button when Space comes up again. */
export function onSpaceUp(event: KeyboardEvent): void {
  if (event.key === " " && !isTyping(event.target)) event.preventDefault();
}

function act(key: string, session: Session): boolean {
  switch (key) {
    case " ":
      session.play();
      return true;
    case ",":
    case "ArrowLeft":
      session.step(-1);
      return true;
    case ".":
    case "ArrowRight":
      session.step(1);
      return true;
    case "<":
    case "PageUp":
      session.stepInstant(-1);
      return true;
    case ">":
    case "PageDown":
      session.stepInstant(1);
      return true;
    case "Home":
      session.pause();
      session.seek(0);
      return true;
    case "End":
      session.pause();
      session.seek(session.length);
      return true;
    case "[":
      session.speed = SPEEDS[Math.max(0, SPEEDS.indexOf(session.speed) - 1)];
      return true;
    case "]":
      session.speed = SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(session.speed) + 1)];
      return true;
    default:
      return false;
  }
}
