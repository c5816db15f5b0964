/** RB4xx: lane, journal, queue, waiting. */
export const QUEUE_ERRORS = {
  RB401: {
    title: 'Another benchmark holds this host',
    help: 'One benchmark runs at a time on a simulation host. Wait for the named run, raise `lane-wait`, or look at `rollout-bench status`.',
  },
  RB402: {
    title: 'The attempt folder is already in use',
    help: 'An attempt is never continued in place. Start the next attempt; it takes over every finished cell.',
  },
  RB403: {
    title: 'The journal cannot be trusted',
    help: 'A line in the middle of the journal is damaged or the hash chain is broken. Keep the folder as evidence and start a new run.',
  },
  RB404: {
    title: 'A cell target id is already taken',
    help: 'TARGETS.md holds an entry with the id of one of our cell targets, but with other content. Remove or rename that entry.',
  },
  RB407: {
    title: 'The primer session did not succeed',
    help: 'The simulation server could not be switched to the wanted suite. Read the error of the session; check suite name and server log.',
  },
  RB408: {
    title: 'The ledger of this host cannot be read',
    help: 'Without the ledger nothing can be swept safely. Repair or move `.host/ledger.jsonl`, then run `rollout-bench doctor`.',
  },
  RB420: {
    title: 'The run cannot be resumed',
    help: 'An unsealed attempt of the same plan, head commit and policy is continued, and a sealed one that is INVALID only for episodes without a result, some of which ended in a connection error. The message names what differs. Leave `resume` out to measure everything anew.',
  },
  RB446: {
    title: 'What would be continued is not what was recorded',
    help: 'A file of an earlier attempt is not the one whose hash its journal has, or its journal does not hold together. Nothing of such an attempt is used. Keep the folder as evidence, and leave `resume` out to measure everything anew.',
  },
} as const;
