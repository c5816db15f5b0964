/** RB376 to RB384: whether a run may begin. RB84x: what GitHub says about an approval. */
export const APPROVAL_ERRORS = {
  RB376: {
    title: 'Rules of the operator cannot be read',
    help: '`.host/approval.yml` on the simulation host is not as docs/approval.md describes it. Nothing that could need an approval is begun until the operator has mended it.',
  },
  RB377: {
    title: 'Not approved',
    help: 'This run needs an approval that a person gave on GitHub, and there is none on the host. Ask for one, then run `mode: approve`, or `mode: all` with a token. See docs/approval.md.',
  },
  RB378: {
    title: 'The approval is for another plan',
    help: 'Something changed after the approval: the plan, the commit, or what is pinned beside them; the message names it. Measure what was approved, or ask for a new approval.',
  },
  RB379: {
    title: 'The approval is used up',
    help: 'One approval allows one run, and running the job again gives no new one. The message names the run that used it and how to get another approval.',
  },
  RB380: {
    title: 'The approvals of the host cannot be read',
    help: '`.host/approvals.jsonl` is damaged or of another release. Nothing is begun that could use an approval a second time; repair or move the file.',
  },
  RB381: {
    title: 'This source of approval is not allowed here',
    help: "The operator of the host takes approvals from other sources than the input `approval` names; the operator's `.host/approval.yml` lists them.",
  },
  RB382: {
    title: 'The approved run cannot be continued',
    help: 'An approval covers the continuation of an unfinished run, and nothing of that run is left to continue with this policy and plan. Ask for a new approval.',
  },
  RB383: {
    title: 'Nobody to ask for an approval',
    help: '`approve` reads the approval from GitHub: it needs a token and a repository, as a workflow job has them.',
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
    help: 'The file `approved-plan` on the base branch is missing, is not a plan, or is another plan than the one to be run; the message names the differing fields.',
  },
  RB843: {
    title: 'The approval cannot be read back',
    help: 'GitHub did not let the token read what an approval rests on. The message names the permission to add.',
  },
} as const;
