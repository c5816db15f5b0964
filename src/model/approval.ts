import * as z from 'zod';

const APPROVAL_SCHEMA_ID = 'rollout-bench/approval/1';
const RESERVATION_SCHEMA_ID = 'rollout-bench/reservation/1';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const known = z.string().max(500).nullable();

export const SOURCES = ['environment', 'label', 'plan-file'] as const;
/** Where a person can say yes, outside of everything that is measured. */
export type ApprovalSource = (typeof SOURCES)[number];

/** Who is reached at an endpoint. */
const ROLES = ['candidate', 'baseline', 'target'] as const;
export type Role = (typeof ROLES)[number];

/** Why somebody may not approve: it is their own change, they started the run themselves, or nobody is behind it. */
export const EXCLUSIONS = ['author', 'starter', 'bot'] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** What an approval is for; all of it must be the same when it is used. Null is unknown, and equals only unknown. */
const bindingSchema = z.strictObject({
  planDigest: sha256,
  headCommit: known,
  policyRef: known,
  checkpointDigest: known,
  imageDigest: known,
  distHash: known,
  /** What the input `expect-policy` demands, as canonical JSON; null demands nothing. Absent, as all below, in records of earlier versions. */
  expectPolicy: known.optional(),
  /** Digests of where policies and target are reached, by role. */
  endpoints: z.partialRecord(z.enum(ROLES), sha256).optional(),
  /** All suites of the job, in their order: an approval that was read for some never serves others. */
  suites: z.array(z.string().min(1)).min(1).optional(),
  /** The workspace that is measured in, by `workspaceIdentity`. */
  workspace: sha256.optional(),
});
export type Binding = z.infer<typeof bindingSchema>;

/** Where the approval stands on GitHub, so that it can be read again. */
const referenceSchema = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('environment'),
    runId: z.int().positive(),
    environment: z.string().min(1).max(255),
    /** Which of the run's approvals of this environment, from 1: a run that is started again may be approved again. */
    ordinal: z.int().positive(),
    /** Attempt of that workflow run which read it first; absent in records of earlier versions. */
    attempt: z.int().positive().optional(),
  }),
  z.strictObject({
    source: z.literal('label'),
    pullRequest: z.int().positive(),
    /** GitHub's id of the event that set the label. */
    eventId: z.int().positive(),
    label: z.string().min(1).max(200),
  }),
  z.strictObject({
    source: z.literal('plan-file'),
    path: z.string().min(1).max(500),
    branch: z.string().min(1).max(255),
    commit: z.string().regex(/^[0-9a-f]{40,64}$/),
    blob: z.string().regex(/^[0-9a-f]{40,64}$/),
    /** Whether GitHub protects the branch. */
    protected: z.boolean(),
  }),
]);
export type ApprovalReference = z.infer<typeof referenceSchema>;

/** `approval.json`: an approval as it was read back from GitHub, and what it is for. */
export const approvalSchema = z.strictObject({
  schema: z.literal(APPROVAL_SCHEMA_ID),
  /** The right to one run; see `approvalId`. */
  id: z.string().min(1).max(1000),
  /** `owner/name` */
  repository: z.string().min(3).max(250),
  reference: referenceSchema,
  /** Who approved: for a plan on a branch whoever merged it, null in earlier versions' records of those. */
  actor: known,
  /** The person's role in the repository, where that was asked for. */
  permission: known,
  /** When, by GitHub's clock; null where GitHub does not say. */
  at: known,
  /** When it was read back. */
  readAt: z.string(),
  /** A page where people see it. */
  url: z.string().max(1000),
  /** What the reviewer wrote; null where nothing can be written. */
  comment: known,
  /** What kept this account from approving, had the operator of the host not allowed it by name. Absent is nothing. */
  excepted: z.array(z.enum(EXCLUSIONS)).min(1).optional(),
  /** One approval may be for several suites, and allows one plan of each. */
  suite: z.string().min(1),
  binding: bindingSchema,
});
export type Approval = z.infer<typeof approvalSchema>;

/** What was found on GitHub; it becomes an approval when it is bound to a plan. */
export type Evidence = Pick<
  Approval,
  'repository' | 'reference' | 'actor' | 'permission' | 'at' | 'url' | 'comment' | 'excepted'
>;

/** `reservation.json`: which run took the right that an approval gives. */
export const reservationSchema = z.strictObject({
  schema: z.literal(RESERVATION_SCHEMA_ID),
  approvalId: z.string().min(1).max(1000),
  suite: z.string().min(1),
  /** Part of a plan that is spread over hosts; null is the whole. */
  shard: z.strictObject({ index: z.int().positive(), count: z.int().positive() }).nullable(),
  planDigest: sha256,
  runId: z.string().min(1),
  runUrl: known,
  reservedAt: z.string(),
  /** As `Binding`; absent in records of earlier versions. */
  suites: z.array(z.string().min(1)).min(1).optional(),
  /** Digests of the policies' metadata by arm, as they were met; null for one that sends none. Absent as above. */
  policies: z.partialRecord(z.enum(['candidate', 'baseline']), known).optional(),
});
export type Reservation = z.infer<typeof reservationSchema>;

/** What run.json says about approval. Absent: the run needed none. */
export const runApprovalSchema = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('approved'), approval: approvalSchema }),
  /** A run that would have needed one, if its workflow did not say otherwise. */
  z.strictObject({ state: z.literal('waived'), why: z.string() }),
]);
export type RunApproval = z.infer<typeof runApprovalSchema>;

/**
 * The name of the right: two readings of the same decision have the same one, whatever run or attempt reads it. A plan
 * on a branch allows one run of each commit.
 */
export function approvalId(
  repository: string,
  reference: ApprovalReference,
  headCommit: string | null,
): string {
  switch (reference.source) {
    case 'environment':
      return `environment ${repository} run ${reference.runId} ${reference.environment} #${reference.ordinal}`;
    case 'label':
      return `label ${repository} #${reference.pullRequest} event ${reference.eventId}`;
    case 'plan-file':
      return `plan-file ${repository} ${reference.path}@${reference.blob} for ${headCommit ?? 'no commit'}`;
  }
}

/** Binds what was found on GitHub to what is going to be measured. Pure. */
export function bind(evidence: Evidence, suite: string, binding: Binding, readAt: string): Approval {
  return {
    schema: APPROVAL_SCHEMA_ID,
    id: approvalId(evidence.repository, evidence.reference, binding.headCommit),
    ...evidence,
    readAt,
    suite,
    binding,
  };
}

export function reservationOf(facts: Omit<Reservation, 'schema'>): Reservation {
  return { schema: RESERVATION_SCHEMA_ID, ...facts };
}

const PINS: readonly (readonly [
  'headCommit' | 'policyRef' | 'checkpointDigest' | 'imageDigest' | 'distHash',
  string,
])[] = [
  ['headCommit', 'commit'],
  ['policyRef', 'policy-ref'],
  ['checkpointDigest', 'checkpoint-digest'],
  ['imageDigest', 'image-digest'],
  ['distHash', 'the build of rollout-bench'],
];

/** What differs between the approved and the present, one text each; the plan by its digest only. */
export function bindingDifferences(approved: Binding, now: Binding): readonly string[] {
  if (approved.suites === undefined || approved.workspace === undefined)
    return [
      ...continuationDifferences(approved, now),
      'it was read by an earlier version, which did not bind it to suites and workspace',
    ];
  const suites = sameList(approved.suites, now.suites)
    ? []
    : [`the suites were ${approved.suites.join(', ')}, now they are ${now.suites?.join(', ') ?? 'unknown'}`];
  return [...continuationDifferences(approved, now), ...suites];
}

/**
 * The same for a run that goes on under the approval that it took: one suite of several may go on by itself, and what an
 * earlier version did not bind it to is no difference.
 */
export function continuationDifferences(approved: Binding, now: Binding): readonly string[] {
  const plan =
    approved.planDigest === now.planDigest
      ? []
      : [`the plan was ${approved.planDigest.slice(0, 12)}, now it is ${now.planDigest.slice(0, 12)}`];
  const pins = PINS.filter(([key]) => approved[key] !== now[key]).map(
    ([key, name]) => `${name} was ${approved[key] ?? 'unknown'}, now it is ${now[key] ?? 'unknown'}`,
  );
  const expected =
    approved.expectPolicy === undefined || approved.expectPolicy === (now.expectPolicy ?? null)
      ? []
      : [
          `expect-policy was ${approved.expectPolicy ?? 'not set'}, now it is ${now.expectPolicy ?? 'not set'}`,
        ];
  const workspace =
    approved.workspace === undefined || approved.workspace === now.workspace
      ? []
      : ['it was read for another workspace'];
  return [
    ...plan,
    ...pins,
    ...expected,
    ...endpointDifferences(approved.endpoints, now.endpoints),
    ...workspace,
  ];
}

/** Not by address: approvals are published. */
function endpointDifferences(approved: Binding['endpoints'], now: Binding['endpoints']): readonly string[] {
  if (approved === undefined) return [];
  return ROLES.filter((role) => approved[role] !== now?.[role]).map(
    (role) => `the endpoint of the ${role} is another one`,
  );
}

export function sameList(left: readonly string[] | undefined, right: readonly string[] | undefined): boolean {
  return left?.length === right?.length && (left ?? []).every((each, at) => each === right?.[at]);
}
