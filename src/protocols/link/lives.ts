/**
 * Who is at the other end of a link. A process that starts again is another `life`, and numbers that tell lives apart have
 * no order: the one heard last may be the older one, delayed. So a link counts the lives that it has met (`epoch`), every
 * message carries that count and echoes the other side's, and another life is believed only if it echoes the present
 * count: no former life can have heard it.
 */
import { isCount } from "../shape.ts";

/** What every message carries. */
export interface LinkHead {
  /** The sender's life, and how many lives of the receiver it has met. */
  readonly life: number;
  readonly epoch: number;
  /** The receiver's life as the sender knows it, and the epoch that this one told; null where nothing was heard yet. */
  readonly to: number | null;
  readonly echo: number;
}

export const headShape = {
  life: Number.isSafeInteger,
  epoch: isCount,
  to: (to: unknown) => to === null || Number.isSafeInteger(to),
  echo: isCount,
};

export interface Neighbour {
  life: number | null;
  epoch: number;
  echo: number;
  /**
   * The last lives that took this process for a former life of it. What they had sent without naming a life may have
   * been for that one, and they will send again what is for this one: addressed.
   */
  readonly mistaken: number[];
}

const MOST_MISTAKEN = 8;

/** Remembers that a life took this process for a former one. */
export function mistook({ mistaken }: Neighbour, life: number): void {
  if (!mistaken.includes(life)) mistaken.push(life);
  if (mistaken.length > MOST_MISTAKEN) mistaken.shift();
}

export const stranger = (): Neighbour => ({ life: null, epoch: 0, echo: 0, mistaken: [] });

export const headTo = ({ life, epoch, echo }: Neighbour, self: number): LinkHead => ({
  life: self,
  epoch,
  to: life,
  echo,
});

/** The answer to a life that has proved nothing yet. It echoes what was heard, so it proves its sender to the other at least. */
export const challenge = ({ epoch }: Neighbour, self: number, heard: LinkHead): LinkHead => ({
  life: self,
  epoch,
  to: heard.life,
  echo: heard.epoch,
});

/** Takes note of who has sent a message. `unproven`: another life than the present one, perhaps a former one. */
export function recognise(neighbour: Neighbour, head: LinkHead, self: number): "known" | "met" | "reborn" | "unproven" {
  if (head.life === neighbour.life) {
    neighbour.echo = Math.max(neighbour.echo, head.epoch);
    return "known";
  }
  const first = neighbour.life === null;
  if (!first && !(head.to === self && head.echo === neighbour.epoch)) return "unproven";
  neighbour.life = head.life;
  neighbour.epoch++;
  neighbour.echo = head.epoch;
  return first ? "met" : "reborn";
}
