/** RB6xx: results, statistics, verdict. */
export const VERDICT_ERRORS = {
  RB600: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
