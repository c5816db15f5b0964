import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutUnread } from '../../../src/outcome/read-archive.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';

const UNREAD = new Set(['chunks', 'safety_profile', 'outputs', 'timeline']);

/** What must be left: the same value with filled maps and lists under unread keys gone. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const filled = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
      return [key, UNREAD.has(key) && filled ? null : pruned(item)];
    }),
  );
}

describe('withoutUnread', () => {
  it('removes chunks and settings, and nothing else', () => {
    const text = `- session_id: s
  routing:
    policy_endpoint: openpi://127.0.0.1:8000
  result:
    success: true
    metadata:
      final_status:
        success: true
        episode_summary:
          task_description: pick up the black bowl between the plate and the ramekin
            and place it on the plate
          chunks:
          - chunk_id: policy_chunk_0
            action_shape:
            - 10
            - 7
          - chunk_id: policy_chunk_0
          final_observation_id: libero_obs_24
`;
    const short = withoutUnread(text);
    expect(short).not.toContain('policy_chunk_0');
    expect(short).not.toContain('action_shape');
    expect(loadYaml(short)).toEqual([
      {
        session_id: 's',
        routing: { policy_endpoint: 'openpi://127.0.0.1:8000' },
        result: {
          success: true,
          metadata: {
            final_status: {
              success: true,
              episode_summary: {
                task_description:
                  'pick up the black bowl between the plate and the ramekin and place it on the plate',
                chunks: null,
                final_observation_id: 'libero_obs_24',
              },
            },
          },
        },
      },
    ]);
  });

  it.each([
    "error_message: 'one\n\n  chunks:\n    two'\n",
    'error_message: |\n  chunks:\n    text\n',
    'a: "x\\\n  chunks:\n    y"\n',
    'a: {b: 1,\n  chunks:\n   [2]}\n',
  ])('leaves text alone in which a value goes over several lines: %j', (text) => {
    expect(withoutUnread(text)).toBe(text);
  });

  it('agrees with the whole parse on any entry', () => {
    const key = fc.oneof(fc.constantFrom(...UNREAD, 'success', 'result'), fc.string({ maxLength: 8 }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 'chunks:', "it's", 'two\nlines', '- chunks:', ' '),
        fc.integer(),
        fc.string(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 5 }), (entry) => {
        const text = dumpYaml([entry]);
        const short = withoutUnread(text);
        const expected = short === text ? loadYaml(text) : pruned(loadYaml(text));
        expect(loadYaml(short)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});
