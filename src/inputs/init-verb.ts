/** The verb `init`: at a terminal it asks for what is not given. */
export const INIT_VERB = {
  summary: 'Make a workspace out of what a simulation server says of itself, then run doctor on it.',
  positional: null,
  inputs: ['workspace'],
  required: [],
  options: {
    json: { description: 'Print the result as JSON.' },
    target: { description: 'Where the simulation server listens, targetws://host:port.', value: 'endpoint' },
    policy: { description: 'Where the policy server listens, openpi://host:port.', value: 'endpoint' },
    kit: {
      description: 'A server of docs/simulators, with the usual endpoints: metaworld, gymnasium or libero.',
      value: 'name',
    },
  },
  examples: [
    'rollout-bench init --workspace bench --kit metaworld',
    'rollout-bench init --workspace bench --target targetws://127.0.0.1:9002 --policy openpi://127.0.0.1:8000',
  ],
} as const;
