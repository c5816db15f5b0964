/** RB6xx: results, statistics, verdict. */
export const VERDICT_ERRORS = {
  RB601: {
    title: 'The non-inferiority margin makes no sense',
    help: '`max-regression` is a rate above 0 and below 1: 0 would demand that the arms are exactly equal, 1 would allow anything.',
  },
  RB602: {
    title: 'A floor that this plan cannot reach',
    help: 'With `threshold-mode: lower-bound` even a run without a failure has a lower bound below 100 %. Plan at least the number of episodes the message names, lower the floor, or use `threshold-mode: point`.',
  },
  RB603: {
    title: 'A published rate that no number of successes gives',
    help: 'A percentage printed with d decimals over n rollouts must be k/n for some whole k. Check the number of rollouts and the decimals, or give the count itself (`486/500`).',
  },
  RB604: {
    title: 'A published rate that cannot be read',
    help: 'Write the count (`486/500`) or the percentage as printed with its rollouts (`97.2% of 500`).',
  },
  RB605: {
    title: 'Early stop is not possible for this run',
    help: 'Early stop needs one run per initial state, an order interleaved over tasks, no shards, and a floor or a baseline that is at hand while the run goes on (a local path or a second arm).',
    fix: 'Leave early-stop out, or give a floor, a baseline by local path, or baseline-endpoint, without shards.',
  },
  RB606: {
    title: 'Nothing may decide',
    help: 'A run that must not be inconclusive, such as a release, has no floor and names no baseline. Only an accepted run of the base branch could decide then.',
    fix: 'Set min-success-rate, or name a baseline.',
    severity: 'warning',
  },
  RB610: {
    title: 'Bundles overlap',
    help: 'Two runs measured the same cells of one plan. Shards of one plan must not overlap; report on one run, or on its shards. Of several attempts of one workflow run the newest complete one counts by itself.',
  },
  RB611: {
    title: 'Bundles of different plans',
    help: 'Bundles of one suite are put together only when their plan digests are equal. When a workflow run is run again with other inputs, the newest attempt whose bundles hold all cells of their plan counts, and the report names the others. Where no attempt is complete, choose "Re-run all jobs", so that all shards are measured with the same inputs; where two jobs measure one suite differently, give their artifacts names of their own (`artifact-name`).',
  },
  RB612: {
    title: 'The baseline cannot be read',
    help: 'A named baseline is a bundle folder, results.json, episodes.jsonl, or a published count such as `486/500`.',
    exit: 'usage',
  },
  RB613: {
    title: 'The bundle cannot become a baseline',
    help: 'A baseline is complete, planned evidence that was measured under one protocol: not an unfinished run, not sessions that others queued, and nothing that is INVALID.',
  },
  RB640: {
    title: 'The baseline is of another suite',
    help: 'A baseline that is named by path belongs to one suite. Name one of the suite that is asked for, run one suite at a time, or compare with accepted runs (`baseline: auto`), of which every suite has its own.',
  },
  RB641: {
    title: 'The baseline cannot decide on this plan',
    help: 'Whatever is measured, the verdict would be INVALID: the baseline lacks planned cells, is of other tasks, was measured under another protocol, or is damaged. Nothing was queued. Plan what the baseline holds, measure with its settings, or name another one.',
  },
  RB450: {
    title: 'The accepted baseline cannot decide on this plan',
    help: 'The run goes on, since another run may be accepted meanwhile; otherwise its verdict will be INVALID whatever it measures. The accepted run was measured under another protocol, or lacks what is planned. Measure with its settings, or, where the protocol is meant to change, accept a run of the new one first.',
    fix: 'Measure with its settings and tasks; or, where the protocol is meant to change, accept a run of the new one first, or set baseline: none.',
    severity: 'warning',
  },
  RB650: {
    title: 'The plan leaves out tasks of the baseline',
    help: 'What the candidate does on them will not be known, so the verdict can be FAIL but not PASS. Plan them too, or say `allow-dropped-tasks` when it is meant; for a pull request the word counts only in the config file of the base commit.',
    fix: 'Plan these too, or say allow-dropped-tasks when it is meant.',
    severity: 'warning',
  },
  RB630: {
    title: 'A control came out wrong',
    help: 'The benchmark said something else of a policy of known quality than it must: a policy that does not move may not succeed, an expert may not fail. Its numbers mean nothing before that is mended.',
  },
  RB631: {
    title: 'A control did not run',
    help: 'Its episodes did not come to their end, so the qualification shows nothing about it and no run may rely on it.',
  },
  RB632: {
    title: 'Damaged evidence passed as sound',
    help: 'A copy of real evidence was damaged and neither the verdict nor `verify` noticed. That is a fault of this program.',
  },
  RB660: {
    title: 'The plan cannot pass',
    help: 'A PASS against a baseline has to rule out the allowed drop. With so few pairs that takes gains: when every pair agrees, 29 are needed for 10 points, 59 for 5, 149 for 2, a few more with early-stop. Plan more initial states, or allow a larger drop.',
    severity: 'warning',
  },
  RB670: {
    title: 'The policies ran different cells',
    help: 'A table of policies holds only runs of the same tasks, initial states and repeats; anything else compares easy episodes with hard ones. Measure all of them with one plan.',
  },
  RB671: {
    title: 'The policies were measured under different protocols',
    help: 'The message names the fields: step limits, cameras, simulator versions and the like change a rate as much as a policy does. Measure all of them under one protocol.',
  },
  RB672: {
    title: 'A run that cannot be compared',
    help: 'A run that did not end, stopped early, or is INVALID says nothing that could stand beside other runs. Leave it out or measure it again.',
    fix: 'Leave this bundle out, or measure again, complete, and compare that bundle.',
  },
  RB673: {
    title: 'Too few or too many policies',
    help: 'A comparison takes 2 to 50 policies, a board of the leaderboard up to 50. Bundles belong to one policy when their `policy-ref` and checkpoint digest are the same.',
  },
  RB674: {
    title: 'A run without a name for the leaderboard',
    help: 'A board has one row for each `policy-ref`, and this run declares none. Measure with `policy-ref` set.',
  },
  RB675: {
    title: 'A policy without runs of every suite',
    help: 'A comparison over several suites has a table for each suite and one for their mean, so every policy needs a run of each. Runs of one policy are found by their `policy-ref` and checkpoint digest. Name the bundles that are absent, or leave a suite out.',
    fix: 'Name a bundle of each suite for every policy, with one `policy-ref` each, or compare fewer suites.',
  },
} as const;
