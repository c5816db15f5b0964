import { type HeldOutCell, placeOf } from './held-out-list.ts';

/**
 * Knows what must not leave the host while cells are held out: every cell that is not asked for openly, the language of
 * every task that is not, and the salts. It does not know which cells are held out: whoever could make a text of their
 * own pass through it (a branch's name, a policy's error) would otherwise learn that from what became of the text.
 */
export interface HeldOutMask {
  /** The text with each of them replaced. */
  readonly mask: (text: string) => string;
  /** Whether the text holds any of them. */
  readonly finds: (text: string) => boolean;
}

interface MaskRequest {
  /** Of the held-out files, as they stand in them. */
  readonly salts: readonly string[];
  /** Cells that the job asks for openly; every other cell is masked, held out or not. */
  readonly open: readonly HeldOutCell[];
  /** Languages of tasks that the job does not ask for openly. */
  readonly languages: readonly string[];
}

/** A piece of a text and what stands for it. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** As in cell keys and session ids; `t3-i7`, `t03-i007-r0-candidate`. */
const KEY = /(?<![A-Za-z0-9])t0*(\d{1,7})-i0*(\d{1,7})(?!\d)(?:-r\d+)?(?:-(?:candidate|baseline))?/g;
/** `task 3`, `task_id: 3`, `"taskId":3`, `--tasks 3`; likewise for initial states. */
const MENTION =
  /(?<kind>task|init(?:ial)?[ _-]?state)s?(?:[ _-]?id)?["'`]?\s{0,3}[:=#]?\s{0,3}["'`]?(?<id>\d{1,7})(?!\d|\.\d)/gi;
/** Further apart two ids belong to two statements. */
const REACH = 240;
const CELL = '[a cell that is not shown]';
const LANGUAGE = '[a task that is not shown]';

/** Pure. */
export function heldOutMask({ salts, open, languages }: MaskRequest): HeldOutMask {
  const shown = new Set(open.map(placeOf));
  const isHidden = (cell: HeldOutCell): boolean => !shown.has(placeOf(cell));
  const spoken = languages.flatMap((language) => languagePattern(language) ?? []);
  const spansOf = (text: string): Span[] => [
    ...keySpans(text, isHidden),
    ...mentionSpans(text, isHidden),
    ...spoken.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => spanOf(match.index, match[0], LANGUAGE)),
    ),
    ...salts.flatMap((salt) => literalSpans(text, salt)),
  ];
  return {
    mask: (text) => replaced(text, spansOf(text)),
    finds: (text) => spansOf(text).length > 0,
  };
}

function spanOf(start: number, text: string, by: string): Span {
  return { start, end: start + text.length, by };
}

type IsHidden = (cell: HeldOutCell) => boolean;

function keySpans(text: string, isHidden: IsHidden): Span[] {
  return [...text.matchAll(KEY)]
    .filter((match) => isHidden({ taskId: Number(match[1]), initStateId: Number(match[2]) }))
    .map((match) => spanOf(match.index, match[0], CELL));
}

interface Mention {
  readonly isTask: boolean;
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

/**
 * A task and an initial state that are said together: the task before the state, or after it where none is before.
 * A brace ends an object, so ids on its two sides are not one cell.
 */
function mentionSpans(text: string, isHidden: IsHidden): Span[] {
  const spans: Span[] = [];
  const mentions = [...text.matchAll(MENTION)].map(
    (match): Mention => ({
      isTask: match.groups?.kind?.toLowerCase() === 'task',
      start: match.index,
      end: match.index + match[0].length,
      id: Number(match.groups?.id),
    }),
  );
  let before: Mention | undefined;
  for (const [index, state] of mentions.entries()) {
    if (state.isTask) {
      before = state;
      continue;
    }
    let next = index + 1;
    // A few steps are enough: further on nothing is within reach.
    while (mentions[next]?.isTask === false && next < index + 20) next += 1;
    const after = mentions[next]?.isTask === true ? mentions[next] : undefined;
    const task = [before, after].find((each) => each !== undefined && together(text, each, state));
    if (task === undefined) continue;
    if (!isHidden({ taskId: task.id, initStateId: state.id })) continue;
    spans.push({ start: Math.min(task.start, state.start), end: Math.max(task.end, state.end), by: CELL });
  }
  return spans;
}

function together(text: string, task: Mention, state: Mention): boolean {
  const [first, second] = task.start < state.start ? [task, state] : [state, task];
  if (second.start - first.end > REACH) return false;
  return !/[{}]/.test(text.slice(first.end, second.start));
}

/**
 * The words of a language in their order, whatever a file or an escape puts between them. A single word would be found
 * everywhere: it counts only in quotes.
 */
function languagePattern(language: string): RegExp | null {
  const words = language.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return null;
  if (words.length === 1) return new RegExp(`(?<=["'\`])${words[0]}(?=["'\`])`, 'giu');
  return new RegExp(`(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]{1,8}')}(?![\\p{L}\\p{N}])`, 'giu');
}

function literalSpans(text: string, literal: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + literal.length))
    spans.push(spanOf(at, literal, '***'));
  return spans;
}

/** Overlapping spans become one, called by the first. */
function replaced(text: string, spans: readonly Span[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, by } of [...spans].sort((left, right) => left.start - right.start)) {
    if (start >= done) result += text.slice(done, start) + by;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}
