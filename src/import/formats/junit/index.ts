import { countFigure } from '../../importer/figures.ts';
import type {
  Imported,
  ImportedEpisode,
  Importer,
  ImportInput,
  ImportSource,
} from '../../importer/importer.ts';
import { misread, readSourceText } from '../../importer/read-source.ts';
import { type Case, caseEpisode, isNumbered } from './cases.ts';
import { xmlEvents } from './xml-events.ts';

/** JUnit's XML, our own junit.xml among it: suite, class and name of a case are suite, task and initial state. */
export const junit: Importer = {
  format: 'junit',
  title: 'JUnit XML',
  detect: ({ text }) =>
    /<testsuites?[\s>]/.test(text) && /^\s*(?:\ufeff\s*)?<(?:\?xml|testsuites?|!--)/.test(text),
  read,
};

interface Read {
  readonly cases: readonly Case[];
  /** Counts of the outermost element. */
  readonly told: ReadonlyMap<string, string>;
  /** Its name. */
  readonly root: string | null;
}

function read({ sources }: ImportInput): Imported {
  const files = sources.map((source) => ({ source, ...casesOf(source) }));
  const all = files.flatMap(({ cases }) => cases);
  const numbered = all.every(isNumbered);
  const own = all.filter(({ arm }) => arm === 'candidate');
  const episodes = files.flatMap(({ source, cases, root }) =>
    cases
      .filter(({ arm }) => arm === 'candidate')
      .map((each) => caseEpisode(each, { file: source.name, root, numbered })),
  );
  const again = own.filter(({ children }) => children.some(isRerun)).length;
  const dropped = all.length - own.length;
  return {
    title: 'JUnit XML',
    version: null,
    cellsBy: numbered ? null : 'order',
    matching: numbered
      ? 'Cases name their initial states.'
      : 'Not every case names an initial state by a number: episodes cannot be paired with those of another run.',
    episodes,
    declared: [],
    figures: files.flatMap(({ source, cases, told }) => figuresOf(source.name, cases, told)),
    notes: [
      ...(again === 0
        ? []
        : [`${again} cases were run again after they had failed; their first attempt counts.`]),
      ...(dropped === 0 ? [] : [`${dropped} cases are of the baseline arm and are not counted.`]),
    ],
    faults: [],
    config: {},
  };
}

const isRerun = (name: string): boolean => /^(?:rerun|flaky)(?:Failure|Error)$/.test(name);

/** @throws RbError RB902 for a document type and for a text that is cut off. */
function casesOf(source: ImportSource): Read {
  const cases: Case[] = [];
  const suites: string[] = [];
  let told: ReadonlyMap<string, string> | null = null;
  let open: { readonly one: Case; readonly children: string[] } | null = null;
  let depth = 0;
  for (const event of xmlEvents(readSourceText(source))) {
    if (event.kind === 'fault') throw misread(`${source.name}:${event.line}`, event.message);
    if (event.kind === 'close') {
      depth -= 1;
      if (event.name === 'testcase') open = null;
      if (event.name === 'testsuite') suites.pop();
      continue;
    }
    const { name, attributes, line, isEmpty } = event;
    told ??= attributes;
    if (name === 'testsuite') suites.push(attributes.get('name') ?? '');
    if (name === 'testcase') {
      const children: string[] = [];
      const one = newCase(attributes, { suite: suites.at(-1) ?? null, line, children });
      cases.push(one);
      open = isEmpty ? null : { one, children };
    } else if (open !== null) {
      open.children.push(name);
      open.one.details.push({
        name,
        type: attributes.get('type') ?? null,
        message: attributes.get('message') ?? null,
      });
    }
    if (isEmpty && name === 'testsuite') suites.pop();
    if (!isEmpty) depth += 1;
  }
  if (depth !== 0) throw misread(source.name, 'it is cut off: an element does not end');
  return { cases, told: told ?? new Map(), root: told?.get('name') ?? null };
}

function newCase(
  attributes: ReadonlyMap<string, string>,
  {
    suite,
    line,
    children,
  }: { readonly suite: string | null; readonly line: number; readonly children: readonly string[] },
): Case {
  const name = attributes.get('name') ?? '';
  const own = /^t\d+-(?:i|episode)\d+-r\d+-(candidate|baseline)(?: |$)/.exec(name);
  return {
    suite,
    className: attributes.get('classname') ?? '',
    name,
    time: attributes.get('time') ?? null,
    arm: own?.[1] ?? 'candidate',
    line,
    children,
    details: [],
  };
}

/** Counts in attributes are compared, never trusted. */
function figuresOf(file: string, cases: readonly Case[], told: Read['told']): Imported['figures'] {
  const outcomes = cases.map((each) => caseEpisode(each, { file, root: null, numbered: false }).outcome);
  const count = (wanted: (outcome: ImportedEpisode['outcome']) => boolean): number =>
    outcomes.filter(wanted).length;
  const counted: Readonly<Record<string, number>> = {
    tests: cases.length,
    failures: count((outcome) => outcome === 'failure'),
    errors: count((outcome) => outcome === 'error' || outcome === 'timed_out'),
    skipped: count((outcome) => outcome === 'not_run'),
  };
  return Object.entries(counted).flatMap(([name, ours]) => {
    const value = told.get(name);
    if (value === undefined || !/^\d{1,9}$/.test(value)) return [];
    return [
      countFigure(name, null, {
        told: Number(value),
        counted: ours,
        why: 'the cases in the file are others',
      }),
    ];
  });
}
