import type { Gate } from './gate.ts';

/** Where the runtime is and what is measured, once for all workflows. */
export function configText({ door, answers, release }: Omit<Gate, 'action'>): string {
  const lines = [
    '# What the workflows of this repository share; an input of a step wins over it.',
    ...keys({ door, answers }),
  ];
  if (door === 'host') {
    const served = `    policy-endpoint: ${JSON.stringify(answers['policy-endpoint'] ?? '')}`;
    lines.push(
      'presets:',
      '  nightly:',
      served,
      '    on-trend-alarm: fail # a slow decline that no single night shows',
    );
    if (release) lines.push('  release:', served);
  }
  return `${lines.join('\n')}\n`;
}

function keys({ door, answers }: Pick<Gate, 'door' | 'answers'>): string[] {
  const { workspace, suite = '', floor = '' } = answers;
  const measured =
    door === 'results'
      ? []
      : [
          `workspace: ${JSON.stringify(workspace ?? '')}`,
          'init-states: 0-9 # of each task, in every workflow: each episode then has its partner in what it is compared with',
        ];
  return [
    `suite: ${JSON.stringify(suite)}`,
    ...measured,
    `min-success-rate: ${floor}`,
    'max-regression: 10% # the largest drop that still passes',
  ];
}
