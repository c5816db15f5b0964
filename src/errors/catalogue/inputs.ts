/** RB1xx: inputs and config file. */
export const INPUT_ERRORS = {
  RB100: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
