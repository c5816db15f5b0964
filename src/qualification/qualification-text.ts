import type { Qualification } from '../model/qualification.ts';
import { failedParts } from './freshness.ts';

/**
 * What a qualification found, line by line. Pure.
 * @param runs workspace-relative folder of all runs
 */
export function qualificationText(made: Qualification, runs: string): string {
  const { bound, qualified, positiveControl, phases } = made;
  const lines = [
    `${bound.suite} on ${bound.target} with ${bound.skillruntime}: ${qualified ? 'QUALIFIED' : 'NOT QUALIFIED'}`,
    ...made.controls.map(({ name, state, observed, expected }) =>
      state === 'ok'
        ? `  ok          ${name}: ${observed}`
        : `  ${state.padEnd(10)}  ${name}: ${observed}; expected ${expected}`,
    ),
    ...made.mutants.map(({ name, ok, observed, expected }) =>
      ok
        ? `  ok          evidence, ${name}: ${observed}`
        : `  not noticed evidence, ${name}: ${observed}; expected ${expected}`,
    ),
    ...(positiveControl === null
      ? ['  no positive control: that a good policy passes was not shown (expert-endpoint)']
      : []),
    ...(qualified ? [] : [`  not as it should be: ${failedParts(made).join(', ')}`]),
    `  kept in ${runs}/${made.id} of the workspace, with a bundle of each control that ran`,
    `  time and simulator: ${phases.map(phaseText).join('; ')}`,
    `  ${made.statement}`,
  ];
  return `${lines.join('\n')}\n`;
}

function phaseText({
  name,
  ms,
  episodes,
  simulatorSteps,
  stepsUnknown,
}: Qualification['phases'][number]): string {
  const time = `${(ms / 1000).toFixed(1)} s`;
  if (episodes === 0) return `${name} ${time}`;
  const steps =
    stepsUnknown === 0
      ? `${simulatorSteps} simulator steps`
      : stepsUnknown === episodes
        ? 'simulator steps unknown'
        : `${simulatorSteps} simulator steps in ${episodes - stepsUnknown} of them, unknown in the others`;
  return `${name} ${time}, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}, ${steps}`;
}
