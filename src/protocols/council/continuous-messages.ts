/** What the centre and the hosts of a lasting council say to each other, and what they wait for. */
import type { Context } from "../../protocol.ts";

export interface ContinuousFeedback {
  readonly number: number;
  /**
   * What hosts do: keep: members reply. invite: others may offer themselves, too. reset: everybody draws for a seat.
   * shrink: members draw for their seats.
   */
  readonly mode: "keep" | "invite" | "reset" | "shrink";
  /** The chance of a draw. */
  readonly chance: number;
  /** Whether those who offered themselves in the exchange before are members now. */
  readonly seat: boolean;
  /** No feedback will follow: members need not fear for their lease. */
  readonly last: boolean;
}

export type ContinuousMessage =
  | ({ readonly kind: "feedback" } & ContinuousFeedback)
  | { readonly kind: "reply"; readonly offer: boolean }
  | { readonly kind: "leave" };

export type ContinuousTimer = "exchange" | "life" | "lease";
export type ContinuousContext = Context<ContinuousMessage, ContinuousTimer>;
