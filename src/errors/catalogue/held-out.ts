/** Cells that nobody may see before they are measured: held-out ones, and those that a policy was selected on. */
export const HELD_OUT_ERRORS = {
  RB426: {
    title: 'The held-out file cannot be used',
    help: 'The file of `heldout-file` needs `salt`, `suite` and `cells`, as the page about held-out cells shows. Messages never repeat what it holds.',
  },
  RB427: {
    title: 'The held-out file lies inside the checkout',
    help: 'Whatever is in the checkout was pushed and can be read. Keep the file elsewhere on the simulation host, readable for the runner only.',
    fix: 'Keep it elsewhere on the simulation host, readable for the runner only.',
    exit: 'usage',
  },
  RB429: {
    title: 'Held-out cells do not fit the suite',
    help: 'The file holds out a task that the target does not list, or its suite is none of those that are run.',
    exit: 'usage',
  },
  RB430: {
    title: 'The held-out file cannot be combined with this',
    help: 'A held-out set is measured on one host, as a whole, and on the target that TARGETS.md names. Leave `shard`, `tasks-file` and `target-endpoint` out, or the held-out file.',
    exit: 'usage',
  },
  RB431: {
    title: 'A held-out bundle is not for publishing',
    help: 'It names cells that must stay unknown. Report on the public bundle of the same run, which carries the aggregate; `verify` works on both.',
    exit: 'refused',
  },
  RB432: {
    title: 'The policy was selected on cells of this release',
    help: 'A result on cells that helped to choose a policy says nothing about others. Measure the release on other tasks, initial states or repeats.',
    fix: 'Measure the release on other tasks or init-states, or on a held-out list that no selection has seen.',
  },
  RB433: {
    title: 'What the policy was selected from cannot be read',
    help: '`selected-from` names bundle folders, plan.json, baseline or episodes files, or run ids of this host.',
    fix: 'Name a bundle folder, plan.json, a baseline or episodes file, or a run id of this host.',
  },
  RB448: {
    title: 'Others can read the held-out file, or it is not yours',
    help: 'A set that somebody else knows is not held out. The file must belong to the user that runs the benchmark and be readable for that user only, in a folder that nobody else can write to; the message has the command. Whether somebody has read it before, only you can know.',
  },
  RB449: {
    title: 'The folder of a held-out bundle is not ours',
    help: 'Held-out evidence is kept in a folder that only the user of the benchmark may enter. Something that belongs to another user has its name, so nothing was written into it. Find out who made it, take it away, and start again.',
    fix: 'Find out who made it, take it away, and start again.',
    exit: 'refused',
  },
  RB846: {
    title: 'A held-out cell would have been published',
    help: 'The named text holds a cell or a task that is not asked for openly, or the salt of the held-out file, so it was not published. Every such cell counts, held out or not: otherwise this message would tell which are. Look at the text on the host, and at what put it there.',
    exit: 'refused',
  },
} as const;
