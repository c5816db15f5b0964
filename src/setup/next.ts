import type { Gate } from './gate.ts';

interface Said {
  /** How the program is called here. */
  readonly program: string;
  /** Quotes a word for a shell. */
  readonly word: (text: string) => string;
  /** The workflows name an action that exists. */
  readonly named: boolean;
}

/** What is to be done after the files are written: commands that can be copied, and comments. Pure. */
export function nextLines(gate: Gate, said: Said): readonly string[] {
  const address = said.named
    ? []
    : [`# In the workflows, put the address of the action in place of ${gate.action}.`];
  return [
    ...tryHere(gate, said),
    ...address,
    '# Review what was written, then let it into the default branch: a pull request is measured by the file of its base.',
    'git add .github && git commit --message "Measure each pull request"',
  ];
}

function tryHere({ door, answers }: Gate, { program, word }: Said): string[] {
  const { workspace = '', results = '', planned = '', suite = '', floor = '' } = answers;
  if (door === 'results')
    return [
      '# After an evaluation, the verdict that a pull request will get:',
      `${program} report ${results} --planned ${word(planned)} --suite ${word(suite)} --min-success-rate ${word(floor)}`,
    ];
  const where = `--workspace ${word(workspace)}`;
  if (door === 'simulator')
    return [
      '# The host, in a terminal of its own; then one episode of each task with your policy:',
      `${program} host ${where}`,
      `${program} run ${where} --preset smoke --policy-command ${word(answers['policy-command'] ?? '')}`,
    ];
  return [
    '# On the host, what would stop a run, and one episode of each task:',
    `${program} doctor ${where} --suite ${word(suite)}`,
    `${program} run ${where} --preset smoke --suite ${word(suite)} --policy-endpoint ${word(answers['policy-endpoint'] ?? '')}`,
  ];
}
