/** RB96x: the verb `host`, our own watchdog. */
export const HOST_ERRORS = {
  RB960: {
    title: 'Another host has this workspace',
    help: 'One `rollout-bench host` works on a workspace. The message names its process; end that one first. Its lock goes with it, however it ends.',
    exit: 'busy',
  },
  RB961: {
    title: 'The faithful watchdog has ended',
    help: 'In mode `faithful` a document that the original refuses ends the watchdog, as it ends the original. Mend the document and start again, or use mode `service`, which goes on.',
    exit: 'refused',
  },
  RB962: {
    title: 'Another watchdog works on this workspace',
    help: 'An entry of SESSIONS.md moved that this host had not moved. Two watchdogs would drive one simulator at the same time, so this host takes no more sessions, and the ones it had end as HOST_NOT_ALONE. Stop the other watchdog, then start this one again.',
  },
  RB963: {
    title: 'No target has one of the named endpoints',
    help: 'The simulators of `--target-endpoints` serve each other’s targets. At least one of them must be the endpoint of a target in TARGETS.md.',
    exit: 'refused',
  },
  RB964: {
    title: 'A simulator is left out',
    help: 'Of several simulators only those run sessions that answer `target.describe` with the same versions and contracts as the first of the list. The message says in what this one differs, or that it does not answer; one that does not answer is asked again.',
  },
  RB965: {
    title: 'Nothing is taken for now',
    help: 'A document cannot be read or written, or a session that this host did not take may still be at work. The message says which. The host goes on by itself as soon as that is mended or over.',
  },
  RB966: {
    title: 'The record of an earlier host cannot be read',
    help: 'Without `artifacts/rollout-bench/.host/watchdog.json` nobody knows which entries at work were left by an earlier host. They are reported and not touched; a person has to end them.',
    exit: 'refused',
  },
  RB967: {
    title: 'An entry was left at work',
    help: 'It is at work by its status, and this host did not take it. It is never touched. When no watchdog runs it any more, set its status to `failed` or take it out.',
  },
  RB968: {
    title: 'What a run measures changed while it had lent the host',
    help: 'By `yield-to` a run gives the host to others between two episodes. When it came back, the entry of its target, the contract, the skill runtime or what the target says of itself was another one. The run ends with what it has. Put back what the message names and resume it, or begin a new run.',
    fix: 'Put it back as it was and resume the run, or begin a new one.',
    exit: 'refused',
  },
} as const;
