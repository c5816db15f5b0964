/** One-sided error of everything that decides: a test decides at a p of at most this. */
export const TEST_LEVEL = 0.05;
/** Each end of a two-sided interval of this level is a bound with that one-sided error. */
export const GATE_LEVEL = 1 - 2 * TEST_LEVEL;
/** Level of the intervals people read. They show and never decide. */
export const SHOWN_LEVEL = 0.95;
