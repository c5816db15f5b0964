import { terminalTable } from '../text/columns.ts';
import { csvField, markdownText, terminalText } from '../text/escape.ts';
import type { Comparison, ComparisonOfSuites } from './document.ts';
import {
  cellsText,
  differenceInterval,
  differenceText,
  intervalsText,
  LETTERS_RULE,
  leadText,
  leftOutText,
  lettersText,
  methodText,
  policyIntervalText,
  policyRateText,
  pText,
  shownPairs,
} from './words.ts';

/** Columns of the policies, everywhere in this order. */
const POLICY_HEADS = ['Policy', 'Success rate', '95 % interval', 'Successes', 'Letters', 'Evidence'] as const;
const PAIR_HEADS = [
  'Pair',
  'Difference (points)',
  'Interval over all pairs',
  'p',
  'p over all pairs',
  'Told apart',
] as const;

/** Texts of the policies' rows. Names are unescaped. */
export function policyRows(comparison: Comparison): readonly (readonly string[])[] {
  return comparison.policies.map((policy) => [
    policy.name,
    policyRateText(policy),
    policyIntervalText(policy),
    `${policy.successes}/${policy.valid}`,
    lettersText(policy),
    policy.grade,
  ]);
}

/** Texts of the pairs' rows. Names are unescaped. */
export function pairRows(comparison: Comparison): readonly (readonly string[])[] {
  const name = (at: number): string => comparison.policies[at]?.name ?? '';
  return shownPairs(comparison).map((pair) => [
    `${name(pair.first)} − ${name(pair.second)}`,
    differenceText(pair),
    differenceInterval(pair),
    pText(pair.p),
    pText(pair.adjustedP),
    pair.different ? 'yes' : 'no',
  ]);
}

export { PAIR_HEADS, POLICY_HEADS };

/** The comparison as Markdown, with the plot as a file beside it. */
export function comparisonMarkdown(comparison: ComparisonOfSuites, plot: string | null): string {
  const { suite, policies, notes, suites = [] } = comparison;
  const left = leftOutText(comparison);
  const lines = [
    `# ${policies.length} policies on ${markdownText(suite)}`,
    '',
    markdownText(leadText(comparison)),
    '',
    `${LETTERS_RULE} ${methodText(comparison)} ${intervalsText(comparison)}`,
    '',
    cellsText(comparison),
    '',
    ...markdownTable(POLICY_HEADS, policyRows(comparison)),
    '',
    ...(plot === null ? [] : [`![Success rate of each policy with its interval](${plot})`, '']),
    '## Pairs',
    '',
    ...markdownTable(PAIR_HEADS, pairRows(comparison)),
    '',
    ...(left === null ? [] : [left, '']),
    ...(notes.length === 0
      ? []
      : ['## Notes', '', ...notes.map(({ text }) => `- ${markdownText(text)}`), '']),
    ...suites.flatMap((table) => [
      `## ${markdownText(table.suite)}`,
      '',
      markdownText(leadText(table)),
      '',
      ...markdownTable(POLICY_HEADS, policyRows(table)),
      '',
    ]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(' | ')} |`;
  return [row(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(row)];
}

/** The comparison on a terminal; ends in a line feed. */
export function comparisonTerminal(comparison: ComparisonOfSuites): string {
  const { suite, suites = [], notes } = comparison;
  const lines = [
    ...(suites.length === 0 ? [] : [`${terminalText(suite, 200)}:`]),
    terminalText(leadText(comparison)),
    LETTERS_RULE,
    intervalsText(comparison),
    '',
    ...policyTable(comparison),
    ...suites.flatMap((table) => [
      '',
      `${terminalText(table.suite)}: ${terminalText(leadText(table))}`,
      '',
      ...policyTable(table),
    ]),
    ...notes.map(({ text }) => `Note: ${terminalText(text, 1_000)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Names are cut before anything else; then letters, of which there are many only among many policies. */
const CUT = [
  POLICY_HEADS.indexOf('Policy'),
  POLICY_HEADS.indexOf('Letters'),
  POLICY_HEADS.indexOf('Evidence'),
];

function policyTable(comparison: Comparison): string[] {
  const rows = policyRows(comparison).map((cells) => cells.map((cell) => terminalText(cell)));
  return terminalTable([[...POLICY_HEADS], ...rows], CUT);
}

/** One line per policy; numbers as they are, unknown is empty. */
export function policiesCsv({ policies }: Comparison): string {
  const head =
    'rank,name,policy_ref,checkpoint_digest,run_id,attempt,grade,valid,successes,rate,low,high,letters';
  const lines = policies.map((policy, at) => {
    const { name, policyRef, checkpointDigest, runId, attempt, grade, valid, successes } = policy;
    const letters = policy.groups === null ? null : policy.groups.join(' ');
    const identity = [at + 1, name, policyRef, checkpointDigest, runId, attempt, grade];
    return [...identity, valid, successes, policy.rate, policy.low, policy.high, letters];
  });
  return csv(head, lines);
}

/** One line per pair; differences are the first's rate less the second's, from −1 to 1. */
export function pairsCsv({ policies, pairs }: Comparison): string {
  const head = 'first,second,cells,only_first,only_second,difference,low,high,p,adjusted_p,different';
  const name = (at: number): string | null => policies[at]?.name ?? null;
  const lines = pairs.map((pair) => {
    const counts = [name(pair.first), name(pair.second), pair.cells, pair.onlyFirst, pair.onlySecond];
    return [...counts, pair.difference, pair.low, pair.high, pair.p, pair.adjustedP, pair.different];
  });
  return csv(head, lines);
}

type Fields = readonly (string | number | boolean | null)[];

/** CRLF line ends (RFC 4180). */
function csv(head: string, lines: readonly Fields[]): string {
  return `${[head, ...lines.map((line) => line.map(csvField).join(','))].join('\r\n')}\r\n`;
}
