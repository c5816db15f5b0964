/** RB33x and RB34x: plan, tasks and initial states. */
export const PLAN_ERRORS = {
  RB330: {
    title: 'The plan has no episodes or too many',
    help: 'Check `tasks`, `init-states` and `repeats`.',
  },
  RB331: {
    title: 'A task or initial state is named twice',
    help: 'Use `repeats` to run an initial state several times.',
  },
  RB332: {
    title: 'Fewer policy calls than simulator steps',
    help: '`execution.max_steps` of the runtime counts policy calls. With fewer calls than steps, an episode can end as MAX_STEPS_EXCEEDED.',
  },
  RB333: {
    title: 'A floor that this plan cannot reach',
    help: 'Even if every episode succeeds, the lower bound stays below the floor. Plan more episodes or lower the floor.',
  },
  RB334: {
    title: 'The length of an episode is unknown',
    help: 'The suite has no published step cap and the target sets no `max_steps`. Give `max-steps`.',
    exit: 'usage',
  },
  RB335: {
    title: 'The plan needs more sessions than it may use',
    help: 'Each episode takes a session, and one that is tried again takes another. Plan fewer episodes or raise the `sessions` of `caps`; a cap is never stretched.',
  },
  RB336: {
    title: 'The plan will hardly fit its wall time',
    help: 'Earlier runs on this host took longer for so many episodes. The run would end incomplete at the `wall-time` of `caps`.',
    fix: 'Plan fewer episodes, or raise the wall-time of caps.',
    severity: 'warning',
  },
  RB338: {
    title: 'The plan-file holds no plan that could be run',
    help: 'It is no file of `rollout-bench plan --out`, was edited after its digest was taken, or has no plan of this suite.',
    exit: 'usage',
  },
  RB339: {
    title: 'The run would not do what was planned',
    help: 'The inputs give another plan than `plan-file`; each differing field is named. Correct the inputs, or plan anew.',
  },
  RB340: {
    title: 'The server describes another suite',
    help: 'The server lists the tasks of the suite it ran last. `plan` and `approve` queue no primer session, which would change that: give a `tasks-file`. A run queues one; when it changed nothing, the server may not know the wanted suite.',
  },
  RB341: {
    title: 'Unknown task language',
    help: 'Without an answer of the target, only tasks whose language is configured or in `tasks-file` can be planned.',
  },
  RB342: {
    title: 'The task does not exist',
    help: 'The suite has no task with this id; the message lists those it has.',
  },
  RB343: {
    title: 'The tasks-file cannot be used',
    help: 'A tasks-file is YAML or JSON: a map from suite to a map from task id to language, or the inner map for one suite.',
    fix: 'Write for example `libero_spatial: {0: "pick up the bowl"}`.',
    exit: 'usage',
  },
  RB344: {
    title: 'The tasks-file disagrees with the target',
    help: 'The target describes its tasks and has the last word; the file says something else.',
    fix: 'Correct the tasks-file, or leave it out: this target describes its tasks.',
    severity: 'warning',
  },
} as const;
