/** What every picture of a run is given. */
import type { Run, Session } from "./session.svelte.ts";

export interface PictureProps {
  session: Session;
  run: Run;
  /** In pixels. */
  width: number;
  height: number;
  /** A process was chosen in it. */
  onpick: (node: number) => void;
}
