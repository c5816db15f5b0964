/** RB7xx: bundle, seal, verify. */
export const BUNDLE_ERRORS = {
  RB700: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
