import { type Problem, problemOf } from '../errors/rb-error.ts';

/** What inputs that are fine by themselves contradict each other in. */
export function contradictions(values: ReadonlyMap<string, unknown>): Problem[] {
  return [
    ...callsBelowSteps(values),
    ...unrecordedRelease(values.get('purpose'), values.get('recordPolicy')),
    ...twoBaselines(values),
    ...sameWithoutSecond(values),
    ...twoWaysToServe(values),
    ...strongEvidenceNeeded(values),
  ];
}

function callsBelowSteps(values: ReadonlyMap<string, unknown>): Problem[] {
  const steps = values.get('maxSteps');
  const calls = values.get('maxPolicyCalls');
  if (typeof steps !== 'number' || typeof calls !== 'number' || calls >= steps) return [];
  return [
    problemOf('RB107', {
      where: 'input max-policy-calls',
      message: `is below max-steps (${steps}); episodes would end before their step limit.`,
      value: String(calls),
      fix: 'Leave max-policy-calls out, or set it to at least max-steps.',
    }),
  ];
}

/** A purpose that follows from the event is looked at once more when the event is known. */
export function unrecordedRelease(purpose: unknown, recordPolicy: unknown): Problem[] {
  if (purpose !== 'release' || recordPolicy !== 'false') return [];
  return [
    problemOf('RB354', {
      where: 'input record-policy',
      message: 'a release is measured with a record of which policy answered.',
      value: 'false',
      fix: 'Leave record-policy out, or measure for another purpose.',
    }),
  ];
}

/** What others rely on rests on the simulator's own account. Pure. */
function strongEvidenceNeeded(values: ReadonlyMap<string, unknown>): Problem[] {
  if (values.get('mode') === 'qualify')
    return sessionEvidenceProblems(values.get('evidence'), 'a qualification');
  return values.get('purpose') === 'release'
    ? sessionEvidenceProblems(values.get('evidence'), 'a release')
    : [];
}

/** RB365; a purpose that follows from the event is looked at once more when the plan is known. Pure. */
export function sessionEvidenceProblems(evidence: unknown, what: string): Problem[] {
  if (evidence !== 'session') return [];
  return [
    problemOf('RB365', {
      where: 'input evidence',
      message: `${what} rests on what the simulator itself says of each episode.`,
      value: 'session',
      fix: 'Leave evidence out and measure a target that names benchmark, task and initial state in its final status; or measure for another purpose.',
    }),
  ];
}

/** A second arm is the baseline; another one beside it would silently not be looked at. */
function twoBaselines(values: ReadonlyMap<string, unknown>): Problem[] {
  const baseline = values.get('baseline');
  const named =
    typeof baseline === 'object' &&
    baseline !== null &&
    'kind' in baseline &&
    (baseline.kind === 'path' || baseline.kind === 'count');
  const second = ['baselineEndpoint', 'baselineCommand'].find((key) => typeof values.get(key) === 'string');
  if (second === undefined || !named) return [];
  return [
    problemOf('RB107', {
      where: second === 'baselineCommand' ? 'input baseline-command' : 'input baseline-endpoint',
      message: 'makes the second policy the baseline, but the input baseline names another one.',
      fix: 'Give one of the two.',
    }),
  ];
}

/** One policy can only be held against itself where it is served a second time. */
function sameWithoutSecond(values: ReadonlyMap<string, unknown>): Problem[] {
  const baseline = values.get('baseline');
  const same =
    typeof baseline === 'object' && baseline !== null && 'kind' in baseline && baseline.kind === 'same';
  // Bundles know how many policies they are of.
  if (!same || values.get('mode') === 'report') return [];
  if (['baselineEndpoint', 'baselineCommand'].some((key) => typeof values.get(key) === 'string')) return [];
  return [
    problemOf('RB107', {
      where: 'input baseline',
      message: 'holds the policy against itself, and nothing serves it a second time.',
      value: 'same',
      fix: 'Give baseline-endpoint or baseline-command, where the same policy is served once more.',
    }),
  ];
}

/** A command gets a port of its own, so an endpoint beside it would name another policy. */
function twoWaysToServe(values: ReadonlyMap<string, unknown>): Problem[] {
  const arms = [
    ['policyCommand', 'policyEndpoint', 'policy'],
    ['baselineCommand', 'baselineEndpoint', 'baseline'],
  ] as const;
  return arms.flatMap(([command, endpoint, arm]): Problem[] => {
    if (typeof values.get(command) !== 'string' || typeof values.get(endpoint) !== 'string') return [];
    return [
      problemOf('RB945', {
        where: `input ${arm}-command`,
        message: `the ${arm} is started at a port of its own, and ${arm}-endpoint names another place.`,
        fix: `Leave out ${arm}-endpoint, or ${arm}-command.`,
      }),
    ];
  });
}
