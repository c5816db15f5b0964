/** RB980 to RB989: a new workspace. */
export const INIT_ERRORS = {
  RB980: {
    title: 'An answer is missing',
    help: '`init` needs a folder, the endpoint of the simulation server and that of the policy server. At a terminal it asks for what was not given; elsewhere each needs its option.',
  },
  RB981: {
    title: 'The workspace holds a document already',
    help: '`init` makes a new workspace and never writes over anything. Give a folder without TARGETS.md, SKILLRUNTIME.md, SESSIONS.md and contract, or check the one that there is with `doctor`.',
  },
  RB982: {
    title: 'The workspace cannot be written',
    help: 'The folder or a document of it could not be made; what had been written before is taken away again. The message has the reason of the system.',
  },
  RB983: {
    title: 'The target says too little of itself',
    help: 'The documents of a workspace name the suite, the width and rate of actions, the parts of an observation and the steps of an episode. The answer to `target.describe` lacks what the message names; see docs/simulators.',
  },
  RB984: {
    title: 'There is no such kit',
    help: '`kit` names one of the servers in docs/simulators. Leave it out for a server of your own: what it describes decides then.',
  },
} as const;
