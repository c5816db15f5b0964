/** RB376 to RB389: whether a run may begin. RB84x: what GitHub says about an approval. */
export const APPROVAL_ERRORS = {
  RB376: {
    title: 'Rules of the operator cannot be read',
    help: '`.host/approval.yml` on the simulation host is not as docs/approval.md describes it. Nothing that could need an approval is begun until the operator has mended it.',
    fix: 'The keys are purposes, forks, sessions-above, sources and may-approve; docs/approval.md shows the file.',
  },
  RB377: {
    title: 'Not approved',
    help: 'This run needs an approval that a person gave on GitHub, and there is none on the host. Ask for one, then run `mode: approve`, or `mode: all` with a token. See docs/approval.md.',
  },
  RB378: {
    title: 'The approval is for another plan',
    help: 'Something changed after the approval: the plan, the commit, or what is pinned beside them; the message names it. Measure what was approved, or ask for a new approval.',
    exit: 'refused',
  },
  RB379: {
    title: 'The approval is used up',
    help: 'One approval allows one run, and running the job again gives no new one. The message names the run that used it and how to get another approval.',
  },
  RB380: {
    title: 'The approvals of the host cannot be read',
    help: '`.host/approvals.jsonl` is damaged or of another release. Nothing is begun that could use an approval a second time; repair or move the file.',
    fix: 'Repair the line, or move the file away: every approval is then forgotten, used ones too, so ask for new ones.',
    exit: 'refused',
  },
  RB381: {
    title: 'This source of approval is not allowed here',
    help: "The operator of the host takes approvals from other sources than the input `approval` names; the operator's `.host/approval.yml` lists them.",
    exit: 'refused',
  },
  RB382: {
    title: 'The approved run cannot be continued',
    help: 'An approval covers the continuation of an unfinished run, and nothing of that run is left to continue with this policy and plan. Ask for a new approval.',
    fix: 'Have the run approved again to measure anew.',
    exit: 'refused',
  },
  RB383: {
    title: 'Nobody to ask for an approval',
    help: '`approve` reads the approval from GitHub: it needs a token and a repository, as a workflow job has them.',
    fix: 'Run `mode: approve` in a workflow job, or set GITHUB_TOKEN and GITHUB_REPOSITORY.',
    exit: 'refused',
  },
  RB385: {
    title: 'Who approved may not',
    help: "Nobody approves a change of their own or a run that they started, and an account without a person behind it approves nothing. Let another person do it, or let the operator of the host name the account under `may-approve` in the host's `approval.yml`. See docs/approval.md.",
  },
  RB386: {
    title: 'The identity of the workspace cannot be read',
    help: '`.host/workspace-id` tells this workspace from others, so that an approval is used in one. Move a damaged file away; approvals that were read before then count as those of another workspace.',
    fix: 'Move the file away. A new one is made, and approvals that were read before count as those of another workspace: ask for new ones.',
    exit: 'refused',
  },
  RB387: {
    title: 'The approval was read for other suites',
    help: 'An approval is for all suites of one job, in their order. Name them all in one step, or have the others approved on their own.',
    fix: 'Name all suites of the job in one step, in the same order, or have the others approved on their own.',
    exit: 'refused',
  },
  RB388: {
    title: 'GitHub shows that the approval is used',
    help: 'A job that waits for an environment takes one review at each start, and this job was started before under the review that was found. Let a reviewer approve the environment once more.',
    fix: 'Run all jobs again, or start a new workflow run, and have a reviewer approve the environment once more.',
  },
  RB389: {
    title: 'Another run on this runner has the approval',
    help: "The runner's own files note which workspace, suites and shards use an approval, and those are others. Measure there, or ask for a new approval.",
    fix: 'Measure in that workspace, or have this run approved on its own.',
    exit: 'refused',
  },
  RB840: {
    title: 'No approved environment',
    help: 'The reviews of this workflow run show no approval of the environment by a required reviewer, or one whose comment names another plan. Let the job name an `environment:` with required reviewers.',
  },
  RB841: {
    title: 'The label does not approve this commit',
    help: 'The label must be set by a person with write access, after the last push, and still be there.',
  },
  RB842: {
    title: 'No approved plan on the branch',
    help: 'The file that `approval: plan-file=…` names on the base branch is missing, is not a plan, or is another plan than the one to be run; the message names the differing fields.',
  },
  RB843: {
    title: 'The approval cannot be read back',
    help: 'GitHub did not let the token read what an approval rests on. The message names the permission to add.',
  },
} as const;
