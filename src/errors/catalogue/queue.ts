/** RB4xx: lane, journal, queue, waiting. */
export const QUEUE_ERRORS = {
  RB400: { title: 'Unclassified problem of this area', help: 'Read the message; it names the place and the value.' },
} as const;
