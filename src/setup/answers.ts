/** What somebody has who sets up a gate. */
export const DOORS = ['results', 'simulator', 'host'] as const;
export type Door = (typeof DOORS)[number];

export const TOOLS = ['lerobot', 'vla-eval', 'openpi', 'other'] as const;
type Tool = (typeof TOOLS)[number];

/** Everything that is asked; the name is that of the option too. */
type Asked =
  | 'tool'
  | 'command'
  | 'results'
  | 'planned'
  | 'workspace'
  | 'suite'
  | 'policy-endpoint'
  | 'policy-command'
  | 'floor';

export type Answers = Readonly<Partial<Record<Asked, string>>>;

interface Question {
  readonly asked: Asked;
  readonly text: string;
  /** What an empty answer and `--yes` take; empty where an answer is needed. */
  readonly offered: string;
}

const SUITE: Question = {
  asked: 'suite',
  text: 'Suite, as reports shall call it',
  offered: 'libero_spatial',
};
const FLOOR = (offered: string): Question => ({
  asked: 'floor',
  text: 'Lowest success rate that passes',
  offered,
});

/** What each tool leaves, where its example puts it. */
const LEFT_BY: Readonly<Record<Tool, string>> = {
  lerobot: 'outputs/**/eval_info.json',
  'vla-eval': 'results/*.json',
  openpi: 'openpi.log',
  other: 'results.csv',
};

/** The questions of a door that the answers so far leave open, in their order. Pure. */
export function questionsOf(door: Door, answers: Answers): readonly Question[] {
  return allQuestions(door, answers).filter(({ asked }) => answers[asked] === undefined);
}

function allQuestions(door: Door, { tool }: Answers): readonly Question[] {
  if (door === 'results') {
    if (!isTool(tool))
      return [{ asked: 'tool', text: `Evaluation tool (${TOOLS.join(', ')})`, offered: 'lerobot' }];
    const command: Question[] =
      tool === 'other' ? [{ asked: 'command', text: 'Command that evaluates the policy', offered: '' }] : [];
    return [
      ...command,
      { asked: 'results', text: 'Result files that it leaves', offered: LEFT_BY[tool] },
      { asked: 'planned', text: 'What is meant to be measured, tasks x episodes of each', offered: '10x50' },
      SUITE,
      FLOOR('60%'),
    ];
  }
  const command = (offered: string): Question => ({
    asked: 'policy-command',
    text: 'Command that starts the policy of a checkout',
    offered,
  });
  if (door === 'simulator') return [command('python serve.py --port {port}'), FLOOR('50%')];
  return [
    { asked: 'workspace', text: 'Folder of the runtime on the host', offered: '/srv/phyagentos/workspace' },
    SUITE,
    {
      asked: 'policy-endpoint',
      text: 'Where the policy of the main branch is served',
      offered: 'openpi://127.0.0.1:8000',
    },
    command('uv run scripts/serve_policy.py --env LIBERO --port {port}'),
    FLOOR('75%'),
  ];
}

export function isDoor(name: string | undefined): name is Door {
  return DOORS.some((door) => door === name);
}

export function isTool(name: string | undefined): name is Tool {
  return TOOLS.some((tool) => tool === name);
}
