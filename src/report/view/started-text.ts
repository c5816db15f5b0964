import type { Results } from '../../model/results.ts';
import type { ViewRow } from './report-input.ts';

/** Which policies the run started itself; empty when it started none. */
export function startedRows({ run: { started } }: Results): ViewRow[] {
  if (started === undefined) return [];
  const turns = started.turns ? ', one after the other' : '';
  return [
    { label: 'Policies', value: `started by this run: ${started.arms.join(', ')}${turns}`, code: false },
  ];
}

/** What code that runs as our own user could have done, and what arms that took turns cannot show. */
export function startedLimits({ run: { started } }: Results): string[] {
  if (started === undefined) return [];
  const turns =
    'The baseline was measured after the candidate: whatever changed over time may look like a difference between them.';
  return [
    `The run started the code under test (${started.arms.join(', ')}) itself, as the user it ran as: such code could have written evidence, and nothing here could tell.`,
    ...(started.turns ? [turns] : []),
  ];
}
