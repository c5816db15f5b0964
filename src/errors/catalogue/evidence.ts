/** RB5xx: collecting evidence. */
export const EVIDENCE_ERRORS = {
  RB500: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
