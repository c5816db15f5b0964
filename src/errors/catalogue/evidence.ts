/** RB5xx: collecting evidence and rendering the report. */
export const EVIDENCE_ERRORS = {
  RB510: {
    title: 'The report template cannot be used',
    help: 'A template is Mustache text. Every value is escaped for Markdown; `{{{name}}}` and `{{& name}}` are refused, because names of tasks and messages come from outside.',
    exit: 'usage',
  },
  RB511: {
    title: 'SESSIONS.md cannot be read for collecting',
    help: 'Give the runtime’s workspace with --workspace, and run as a user who may read its files.',
  },
  RB512: {
    title: 'A session to collect is not there or not finished',
    help: 'Only finished entries that are still in SESSIONS.md can be collected; look at `rollout-bench status`.',
  },
  RB513: {
    title: 'There is nothing to collect',
    help: 'There is no finished entry, all belong to benchmarks of ours (they are in their own bundles), or of all of them nothing tells which task and initial state they ran: neither episode.json nor a `benchmark` block nor the config of their target, which cannot be looked up where TARGETS.md is refused. Such sessions are never guessed; beside others they count as lost. Sessions that wait for a verifier are not finished, and a job that a target ran itself is imported from its result files. The message says what it was here.',
  },
  RB520: {
    title: 'The runs of a workspace cannot be looked at',
    help: 'The folder of runs is a link, too large, or not readable. That is not the same as having no runs: nothing is known.',
    fix: 'Name the workspace, and list as a user who may read its artifacts.',
    exit: 'noVerdict',
  },
  RB521: {
    title: 'Not a token of a page',
    help: 'Tokens are `nextPageToken` of an earlier page of `inventory`, as it is.',
    fix: 'Give nextPageToken of the page before, or leave it out for the first page.',
    exit: 'usage',
  },
  RB522: {
    title: 'The inventory has changed',
    help: 'Runs were added, removed or written to since the page or the snapshot that is continued or checked. Start again with the first page.',
  },
  RB523: {
    title: 'The event does not say which pull request it is about',
    help: 'A `pull_request` event names number, state, head and base of its pull request. Where something else than GitHub starts the workflow, pass the whole payload on or give `pr-number`.',
    fix: 'Start the workflow by GitHub itself, pass the event file on unchanged, or name the pull request with `pr-number`.',
    exit: 'refused',
  },
  RB524: {
    title: 'An id cannot be part of a path',
    help: 'Evidence is kept in a folder named like its session. An id with a slash or `..`, or one that is longer than a file name may be, would lead elsewhere; the June version of the runtime takes such ids. Leave the session out, or queue it again under a plain id.',
    fix: 'Leave these sessions out, or queue them again with ids of letters, digits, `_` and `-`.',
  },
  RB525: {
    title: 'More was collected than was planned',
    help: '`--planned 10x50` is tasks 0-9 and initial states 0-49, each once; ids are written as `3-7x0-9`. Sessions beyond that mean that something else was planned, or that sessions of another evaluation are among them.',
    exit: 'refused',
  },
  RB526: {
    title: 'Not a number of planned episodes',
    help: 'Tasks times initial states: `10x50`, or the ids as `3-7x0-9`. A third factor is the runs of each initial state: `10x50x2`.',
    exit: 'usage',
  },
  RB535: {
    title: 'Two tasks under one number',
    help: 'The simulator told two texts for the same task and initial state, so the suite was changed between the sessions, and a rate over both would be of no task. Collect each evaluation by itself: by time, by goal, or by naming its sessions.',
    fix: 'Collect them apart: choose by --since and --until, by --goal, or name the sessions.',
    exit: 'refused',
  },
} as const;
