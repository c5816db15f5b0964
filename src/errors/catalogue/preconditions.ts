/** RB3xx: preconditions, target, policy, discovery, plan. */
export const PRECONDITION_ERRORS = {
  RB300: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
