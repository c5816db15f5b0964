import fc from 'fast-check';

/** A session as the queue writes it. */
export function ourSession(id: string): Record<string, unknown> {
  return {
    session_id: id,
    goal_id: 'rollout-bench:run',
    target_ref: 'target://libero--rb-01234567',
    skillruntime_ref: 'skillruntime://pi05_libero_remote',
    task_description: 'pick up the black bowl: "on" the plate\nand # put it down ',
    status: 'pending',
    priority: 'low',
    routing: { policy_endpoint: 'openpi://127.0.0.1:8000' },
    execution: { max_steps: 220, replan_every_steps: 5, action_chunk_mode: 'chunk_buffer' },
    timeouts: { execute_timeout_s: 1800 },
    retry: { max_retries: 0 },
    result: {},
  };
}

const awkward = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        '- ',
        'session_id: x',
        'status: running',
        '\n',
        '"',
        "'",
        '#',
        ' #',
        ': ',
        '{',
        '[',
        '|',
        '> ',
        '```',
        'a',
        ' ',
        '  ',
        '&a',
        '*a',
        '!t',
        '\\',
        '\t',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    awkward,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(awkward, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const entry = fc.record({
  session_id: awkward.filter((text) => text.trim() !== '' && !/[\n]/.test(text)),
  task_description: awkward,
  status: fc.constantFrom('pending', 'running', 'succeeded', 'preflight_checking'),
  routing: fc.record({ adapter_overrides: anything }),
  result: fc.record({ status: fc.constantFrom('failed', 'pending'), metadata: anything }),
});

/** Lists of foreign entries with text that looks like YAML; ids differ. */
export const foreignSessions = fc.uniqueArray(entry, { maxLength: 5, selector: (each) => each.session_id });
