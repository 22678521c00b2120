/** Up to here every process is drawn, above only counts are. */
export const MOST_DRAWN = 10_000;
/** Above this a process is less than a pixel: a lens on the one that the sentence names stays open. */
export const MOST_WITHOUT_LENS = 2_000;
