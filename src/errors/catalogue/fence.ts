/** The fence: a session of ours whose outcome is unknown keeps everything else of ours from the host. */
export const FENCE_ERRORS = {
  RB375: {
    title: 'The host is fenced',
    help: 'A session of ours ran beyond its time limit while the watchdog was silent, so nobody knows what became of it. Restart the watchdog, so that nothing is at that session any more, then clear the fence with `rollout-bench fence --clear --watchdog-restarted --reason "what was done"`.',
  },
  RB409: {
    title: 'The fence of this host cannot be read',
    help: 'The file `.host/fence.json` is there but damaged, which keeps everybody out as a whole one does. Look at it and at the watchdog, then clear it with `rollout-bench fence --clear --reason "what was done"`.',
  },
  RB410: {
    title: 'The fenced session may still be at work',
    help: 'Its entry in SESSIONS.md is as it was. Restart the watchdog, which never takes such an entry up again, then clear the fence with `--watchdog-restarted`: that takes the entry out. Taking it out under a watchdog that is still at it would end that watchdog.',
    fix: 'Restart the watchdog, then add --watchdog-restarted: the entry is taken out, and its episode counts as lost. Or set its status to failed while holding the lock.',
    exit: 'refused',
  },
} as const;
