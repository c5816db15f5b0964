/** The verb `setup`: at a terminal it asks for what is not given. */
export const SETUP_VERB = {
  summary: 'Write the workflows and the config file of a gate for what you have; end with doctor.',
  positional: null,
  inputs: ['workspace', 'suite', 'policy-endpoint', 'policy-command'],
  required: [],
  options: {
    json: { description: 'Print the result as JSON.' },
    yes: { description: 'Ask nothing: take what is offered for all that is not given.' },
    have: {
      description: 'results (files of an evaluation tool), simulator (a server), or host (PhyAgentOS).',
      value: 'what',
    },
    tool: { description: 'What leaves the results: lerobot, vla-eval, openpi or other.', value: 'name' },
    command: { description: 'Shell line that evaluates the policy, for another tool.', value: 'line' },
    results: {
      description: 'Result files that it leaves, such as outputs/**/eval_info.json.',
      value: 'files',
    },
    planned: { description: 'What is meant to be measured, tasks x episodes: 10x50.', value: 'counts' },
    floor: { description: 'Lowest success rate that passes, such as 75%.', value: 'rate' },
    target: { description: 'Where the simulation server listens, as for init.', value: 'endpoint' },
    policy: { description: 'Where a policy listens, as for init.', value: 'endpoint' },
    kit: { description: 'A server of docs/simulators, as for init.', value: 'name' },
    release: { description: 'Also write the workflow that gates releases; for a host.' },
    action: {
      description: 'The action, owner/name@ref. Default: where this clone comes from.',
      value: 'name',
    },
    repository: { description: 'Folder of the repository. Default: this one.', value: 'folder' },
    replace: { description: 'Also write files that are there already.' },
  },
  examples: [
    'rollout-bench setup',
    'rollout-bench setup --yes --have results --tool lerobot --planned 10x50 --floor 60%',
    'rollout-bench setup --yes --have simulator --kit metaworld --workspace bench',
    'rollout-bench setup --yes --have host --workspace /srv/phyagentos/workspace --suite libero_spatial',
  ],
} as const;
