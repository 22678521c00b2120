/**
 * Elections that come to nothing may have been too quick for the network or a busy machine: messages took longer than tau. So
 * from the third one on each try takes its time, twice as much as the one before. All who take part must agree on it, so it is
 * part of the setting.
 */

/** No election is held more slowly than this. */
export const SLOWEST = 8;

/** How many times as long an election takes after so many tries in vain. */
export const paceAfter = (tries: number): number => Math.min(SLOWEST, 2 ** Math.max(0, tries - 1));

export const paceOf = ({ pace = 1 }: { readonly pace?: number }): number => pace;
