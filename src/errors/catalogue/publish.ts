/** RB8xx: publishing. */
export const PUBLISH_ERRORS = {
  RB800: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
