/** RB940 to RB959, and RB976: the policy that a run starts itself. */
export const STARTED_POLICY_ERRORS = {
  RB940: {
    title: 'The policy command ended before the policy answered',
    help: 'The message has the exit code and the last lines that it printed. Nothing was queued.',
  },
  RB941: {
    title: 'The policy did not answer in time',
    help: 'The command runs, and nothing sent metadata on its PORT within `policy-wait`. The message says what was found there, on which ports the command listens, and its last lines.',
  },
  RB942: {
    title: 'The policy died again',
    help: 'A policy that dies is started once more, and the attempt it spoiled does not count. It died a second time, so the run ended; a resume measures what is left.',
  },
  RB943: {
    title: 'A variable that the policy must not get',
    help: "`policy-env` names a secret or something of the job. Code under test gets none of them; put what it needs into a file that the host's operator made.",
  },
  RB944: {
    title: 'No folder to start the policy in',
    help: '`policy-directory` or `baseline-directory` must be a folder when the run begins: check it out in a step before.',
  },
  RB945: {
    title: 'A policy that is started and also named by its endpoint',
    help: 'A command gets a free port, so its endpoint is known. Give the command or the endpoint of an arm, not both.',
  },
  RB946: {
    title: 'The checkpoint cannot be read',
    help: '`checkpoint` must be a file or a folder of plain files that this user may read.',
    exit: 'refused',
  },
  RB947: {
    title: 'Another checkpoint than was declared',
    help: 'The digest that was computed of `checkpoint` is not the one in `digests`.',
    exit: 'refused',
  },
  RB948: {
    title: 'The policy says that it is of another commit',
    help: 'Its metadata names another commit than the folder has in which it was started. An old server may answer, or its build is stale.',
    exit: 'refused',
  },
  RB949: {
    title: 'A command cannot be ended for certain here',
    help: '`policy-command` needs /proc, by which every process that it started is found again. Start the policy yourself and give `policy-endpoint`.',
  },
  RB950: {
    title: 'A process of the policy could not be ended',
    help: 'It belongs to another user, or waits for a device. It stays on record, and the next run and `clean` try again.',
  },
  RB951: {
    title: "A fork's code is not started here",
    help: "On a self-hosted runner `policy-command` never starts what a fork wrote, whatever the host's operator allows otherwise.",
  },
  RB952: {
    title: 'The stop command of the policy failed',
    help: 'Everything that the command started was ended all the same, but for what only `policy-stop-command` can reach.',
  },
  RB953: {
    title: 'The policy is started from another commit than the run is about',
    help: "The folder's commit is not the one that the run reports. In a pull request, check out `github.event.pull_request.head.sha`.",
  },
  RB954: {
    title: 'The policy came back as another one',
    help: 'When it was started again, its metadata was not what it had been. What is measured would be two policies.',
    exit: 'refused',
  },
  RB976: {
    title: 'Something still listens at the port of an ended policy',
    help: 'It has neither the marker nor the group of the command, or belongs to another user. End it by `policy-stop-command`, or by hand.',
  },
} as const;
