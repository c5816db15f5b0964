import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { type Answers, DOORS, type Door, isDoor, isTool, questionsOf, TOOLS } from '../../setup/answers.ts';
import type { Ask } from '../init/answers.ts';

/** How answers are come by: a person, or nobody. */
interface Asking {
  /** Null where nobody can be asked. */
  readonly ask: Ask | null;
  /** Takes what is offered. */
  readonly yes: boolean;
}

const HAVE =
  'What do you have: result files of an evaluation tool (results), a simulator (simulator), or a PhyAgentOS host (host)?';

/**
 * What somebody has.
 * @throws RbError RB995 (exit 2) where nothing says it, or another word
 */
export async function doorOf(given: string | undefined, { ask }: Asking): Promise<Door> {
  const answer = given ?? (ask === null ? undefined : (await ask(HAVE, 'results')).trim());
  if (isDoor(answer)) return answer;
  throw new RbError(EXIT.usage, [noChoice('have', answer, DOORS)]);
}

/**
 * All answers of a door, from the options, the person, or what is offered.
 * @throws RbError RB995 (exit 2), one problem for each answer that is missing
 */
export async function answersFor(door: Door, given: Answers, asking: Asking): Promise<Answers> {
  const { tool } = given;
  if (tool !== undefined && !isTool(tool)) throw new RbError(EXIT.usage, [noChoice('tool', tool, TOOLS)]);
  let answers = given;
  const missing: Problem[] = [];
  // An answer may open further questions.
  for (let open = questionsOf(door, answers); open.length > 0; open = questionsOf(door, answers)) {
    for (const { asked, text, offered } of open) {
      const answer = await one(text, offered, asking);
      if (answer === null) missing.push(unanswered(asked, text, offered));
      else if (asked === 'tool' && !isTool(answer))
        throw new RbError(EXIT.usage, [noChoice('tool', answer, TOOLS)]);
      answers = { ...answers, [asked]: answer ?? offered };
    }
  }
  if (missing.length > 0) throw new RbError(EXIT.usage, missing);
  return answers;
}

/** Null where nothing gives an answer. */
async function one(text: string, offered: string, { ask, yes }: Asking): Promise<string | null> {
  if (yes) return offered === '' ? null : offered;
  const answer = ask === null ? '' : (await ask(text, offered)).trim();
  return answer === '' ? null : answer;
}

function unanswered(asked: string, text: string, offered: string): Problem {
  const example = offered === '' ? '…' : offered;
  return problemOf('RB995', {
    where: `option --${asked}`,
    message: `is not given, and nobody can be asked here: ${text}.`,
    fix: `Write for example --${asked} ${JSON.stringify(example)}, or --yes for all that is offered.`,
  });
}

function noChoice(option: string, value: string | undefined, choices: readonly string[]): Problem {
  return problemOf('RB995', {
    where: `option --${option}`,
    message: value === undefined ? 'is not given, and nobody can be asked here.' : 'is none of its choices.',
    ...(value === undefined ? {} : { value: JSON.stringify(value.slice(0, 80)) }),
    fix: `Choose one of ${choices.join(', ')}.`,
  });
}
