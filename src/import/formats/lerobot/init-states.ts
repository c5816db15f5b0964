import { WhyNot } from '../../../base/why-not.ts';

/** Which initial state of LIBERO the episodes of a task began in, by LeRobot's version; read from its code. */
export interface StateRule {
  /** Initial state of the episode at this index of its task. */
  readonly stateOf: (index: number) => number;
  readonly text: string;
}

/** LIBERO ships this many states of each task; beyond it they come round again. */
const STATES = 50;

type Version = readonly [number, number, number];

/**
 * The rule that `version-rule:<version>[,batch=<n>]` names, or why there is none. Before 0.4.4 every
 * environment of a batch kept the state of its index; from 0.4.4 to 0.6.0 a reset inside the environment skipped states
 * depending on how episodes ended, so that nothing tells them; since 0.6.1 states follow the episodes. Pure.
 */
export function stateRule(asked: string): StateRule | WhyNot {
  const match = /^version-rule(?::v?(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:,batch=([1-9]\d{0,4}))?)?$/.exec(asked);
  if (match === null)
    return new WhyNot('it is no rule; write version-rule:0.6.1 or version-rule:0.4.3,batch=10');
  if (match[1] === undefined)
    return new WhyNot(
      'the file does not say which LeRobot wrote it; write its version, as in version-rule:0.6.1',
    );
  const version: Version = [Number(match[1]), Number(match[2]), Number(match[3])];
  const said = version.join('.');
  if (isBelow(version, [0, 4, 0])) return new WhyNot(`LeRobot ${said} keeps seeds and no initial states`);
  if (isBelow(version, [0, 4, 4])) {
    if (match[4] === undefined)
      return new WhyNot(
        `LeRobot ${said} repeats states by batch; write its eval.batch_size, as in version-rule:${said},batch=10`,
      );
    const batch = Number(match[4]);
    return {
      stateOf: (index) => (index % batch) % STATES,
      text: `Initial states by the rule of LeRobot ${said} with batch size ${batch}: every environment keeps its own.`,
    };
  }
  if (isBelow(version, [0, 6, 1]))
    return new WhyNot(
      `LeRobot ${said} skips initial states by how episodes end, so that nothing tells which ones ran`,
    );
  return {
    stateOf: (index) => index % STATES,
    text: `Initial states by the rule of LeRobot ${said}: the one of the episode's number.`,
  };
}

function isBelow(left: Version, right: Version): boolean {
  for (const [at, mine] of left.entries()) {
    const theirs = right[at] ?? 0;
    if (mine !== theirs) return mine < theirs;
  }
  return false;
}
