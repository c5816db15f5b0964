import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Forger } from './forge.ts';

/** Something that a stranger does to a folder, and what has to become of it. */
export interface Damage {
  readonly name: string;
  readonly expect: 'refused' | 'verified';
  readonly apply: (dir: string) => void;
  /** False for what no archive can hold. */
  readonly packable: boolean;
}

const refused = (name: string, apply: Damage['apply'], packable = true): Damage => ({
  name,
  expect: 'refused',
  apply,
  packable,
});

const forged = (name: string, apply: (bundle: Forger) => unknown): Damage =>
  refused(name, (dir) => void apply(new Forger(dir)));

type Event = Record<string, unknown>;

/** An event of a type, a second time right behind itself. */
const twice = (type: string) => (events: Event[]) => {
  const at = events.findIndex((event) => event.type === type);
  return at === -1 ? [...events, events[0] ?? {}] : events.toSpliced(at, 0, events[at] ?? {});
};

const swapped = (first: string, second: string) => (events: Event[]) => {
  const [a, b] = [first, second].map((type) => events.findIndex((event) => event.type === type));
  if (a === undefined || b === undefined || a < 0 || b < 0) return events.toReversed();
  return events.with(a, events[b] ?? {}).with(b, events[a] ?? {});
};

const JSON_FILES = ['plan.json', 'run.json', 'results.json', 'manifest.json'];
const PAGES = [
  'report.html',
  'junit.xml',
  'episodes.csv',
  'sessions.md',
  'charts/tasks.svg',
  'episodes.jsonl',
];

/** A copy of every hash, made again by whoever changed the content. */
export const FORGERIES: readonly Damage[] = [
  ...PAGES.map((name) =>
    forged(`${name} says something else`, (bundle) =>
      bundle.write(name, `${bundle.text(name)}100 % PASS\n`).seal(),
    ),
  ),
  ...PAGES.map((name) => forged(`${name} is left out`, (bundle) => bundle.remove(name).seal())),
  ...[1.5, 1e30].map((id) =>
    forged(`task ${id} ran`, (bundle) =>
      bundle
        .replace(bundle.raw('episode.json'), /"task_id": \d+/, `"task_id": ${id}`)
        .journal()
        .seal(),
    ),
  ),
  ...['1e999', '-1e999', '0.5', '-3'].map((steps) =>
    forged(`${steps} steps`, (bundle) =>
      bundle
        .replace(bundle.raw('episode.json'), /"target_step_index": \d+/, `"target_step_index": ${steps}`)
        .journal()
        .seal(),
    ),
  ),
  forged('a plan of task 1e999', (bundle) =>
    bundle.replace('plan.json', /"taskId": \d+/, '"taskId": 1e999').seal(),
  ),
  forged('a target config of 1e999', (bundle) =>
    bundle.replace('plan.json', /"targetConfig": \{/, '"targetConfig": {"x": 1e999,').seal(),
  ),
  ...['started', 'intent', 'queued', 'terminal', 'collected', 'ended'].map((type) =>
    forged(`${type} twice`, (bundle) => bundle.journal(twice(type)).seal()),
  ),
  ...[
    ['intent', 'queued'],
    ['queued', 'collected'],
    ['started', 'ended'],
    ['terminal', 'collected'],
  ].map(([first = '', second = '']) =>
    forged(`${first} and ${second} change places`, (bundle) => bundle.journal(swapped(first, second)).seal()),
  ),
  forged('another outcome in the journal', (bundle) =>
    bundle
      .journal((events) =>
        events.map((event) => (event.type === 'collected' ? { ...event, outcome: 'error' } : event)),
      )
      .seal(),
  ),
  forged('a journal of another suite', (bundle) =>
    bundle.journal(([started, ...rest]) => [{ ...started, suite: 'libero_goal' }, ...rest]).seal(),
  ),
  forged('a file of another size in the journal', (bundle) =>
    bundle
      .journal((events) =>
        events.map((event) =>
          Array.isArray(event.files)
            ? { ...event, files: event.files.map((file) => ({ ...file, bytes: file.bytes + 1 })) }
            : event,
        ),
      )
      .seal(),
  ),
  forged('a path twice in the manifest', (bundle) =>
    bundle.seal((manifest) => ({
      ...manifest,
      files: Array.isArray(manifest.files) ? [...manifest.files, manifest.files[0]] : [],
    })),
  ),
  ...JSON_FILES.map((name) =>
    forged(`a key twice in ${name}`, (bundle) => {
      bundle.replace(name, '{', '{"schema": "rollout-bench/other/1",');
      return name === 'manifest.json' ? bundle : bundle.seal();
    }),
  ),
  ...['install.sh', 'raw/more.json', 'baseline.jsonl', 'heldout.json', 'qualification.json'].map((name) =>
    forged(`${name}, which no such bundle has`, (bundle) => bundle.write(name, '{}\n').seal()),
  ),
  forged('a program beside the evidence of a session', (bundle) =>
    bundle.write(bundle.raw('episode.json').replace('episode.json', 'run.sh'), '#!/bin/sh\n').seal(),
  ),
];

/** What fills memory, or keeps a reader busy. */
export const BOMBS: readonly Damage[] = [
  ...JSON_FILES.flatMap((name) => [
    refused(`${name} of 100 MB of blanks`, (dir) =>
      writeFileSync(join(dir, name), Buffer.alloc(100 * 2 ** 20, ' ')),
    ),
    refused(`${name} of many lists`, (dir) =>
      writeFileSync(join(dir, name), `[${'[],'.repeat(5 * 2 ** 20)}[]]`),
    ),
    refused(`${name} of a hundred thousand levels`, (dir) =>
      writeFileSync(join(dir, name), `${'['.repeat(1e5)}${']'.repeat(1e5)}`),
    ),
    refused(`${name} of many keys`, (dir) =>
      writeFileSync(join(dir, name), `{${Array.from({ length: 6e5 }, (_, at) => `"k${at}":{}`).join()}}`),
    ),
  ]),
  forged('a journal of many lines', (bundle) =>
    bundle
      .journal((events) => [
        ...events.slice(0, -1),
        ...Array.from({ length: 250_000 }, (_, at) => ({ type: 'warning', message: `${at}` })),
        ...events.slice(-1),
      ])
      .seal(),
  ),
  refused('a journal of one line', (dir) =>
    writeFileSync(join(dir, 'journal.jsonl'), Buffer.alloc(60 * 2 ** 20, '{')),
  ),
  ...[
    ['of nested lists', '['.repeat(2 ** 20)],
    ['of many lists', `a: [${'[],'.repeat(2 ** 20)}[]]`],
    ['of line feeds', '\n'.repeat(2 ** 22)],
    ['of nested references', references('')],
    ['of nested references and a rare line end', references('\u2028')],
    ['of merged maps', merges()],
    ['of open quotes', `a: ${'"\\"'.repeat(5e5)}`],
    ['of question marks', '? '.repeat(1e6)],
    ['of many anchors', Array.from({ length: 1e5 }, (_, at) => `- &a${at} x\n`).join('')],
  ].map(([what, text = '']) =>
    forged(`a session.yaml ${what}`, (bundle) =>
      bundle.write(bundle.raw('session.yaml'), text).journal().seal(),
    ),
  ),
  ...[
    ['of many lists', `{"benchmark": [${'[],'.repeat(20 * 2 ** 20)}[]]}`],
    ['of images', `{"session_id": "x", "images": [${'[0,0,0],'.repeat(6 * 2 ** 20)}[]]}`],
    ['of NaN and quotes', `{"a": NaN, "b": "${'\\"'.repeat(9e5)}`],
    ['cut in the middle', `{"session_id": "x", "images": [${'[0,0,0],'.repeat(2 ** 20)}`],
  ].map(([what, text = '']) =>
    forged(`an episode.json ${what}`, (bundle) =>
      bundle.write(bundle.raw('episode.json'), text).journal().seal(),
    ),
  ),
  forged('a template that never ends', (bundle) =>
    bundle
      .write(
        'report-template.mustache',
        `${'{{#arms}}{{#tasks}}'.repeat(12)}x${'{{/tasks}}{{/arms}}'.repeat(12)}`,
      )
      .seal(),
  ),
  refused('a file of a terabyte', (dir) => truncateSync(join(dir, 'report.html'), 2 ** 40), false),
  refused(
    'a listed file of a terabyte',
    (dir) => {
      const bundle = new Forger(dir);
      bundle.seal((manifest) => ({
        ...manifest,
        files: Array.isArray(manifest.files)
          ? manifest.files.map((file) => (file.path === 'report.html' ? { ...file, bytes: 2 ** 40 } : file))
          : [],
      }));
      truncateSync(join(dir, 'report.html'), 2 ** 40);
    },
    false,
  ),
  refused(
    '50,000 empty files',
    (dir) => {
      mkdirSync(join(dir, 'more'));
      for (let at = 0; at < 50_000; at += 1) writeFileSync(join(dir, 'more', `f${at}`), '');
    },
    false,
  ),
  refused(
    'a folder of 300 levels',
    (dir) => mkdirSync(join(dir, ...Array.from({ length: 300 }, () => 'deep')), { recursive: true }),
    false,
  ),
];

/** An alias bomb: nine levels of nine references. */
function references(extra: string): string {
  const levels = Array.from({ length: 12 }, (_, at) =>
    at === 0
      ? `a0: &a0 ["x${extra}", y]`
      : `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(', ')}]`,
  );
  return `${levels.join('\n')}\n`;
}

function merges(): string {
  const base = `b: &b {${Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join(', ')}}\n`;
  return `${base}${Array.from({ length: 5000 }, (_, at) => `m${at}:\n  <<: [${Array(20).fill('*b').join(', ')}]\n`).join('')}`;
}

/** Every file, replaced by what is no file. */
export function inPlaceOf(name: string): readonly Damage[] {
  const gone = (dir: string): string => {
    const file = join(dir, name);
    rmSync(file, { recursive: true });
    return file;
  };
  return [
    refused(`a pipe in place of ${name}`, (dir) => void execFileSync('mkfifo', [gone(dir)]), false),
    refused(`a link in place of ${name}`, (dir) => symlinkSync('/dev/zero', gone(dir)), false),
    refused(
      `a link to itself in place of ${name}`,
      (dir) => {
        renameSync(join(dir, name), join(dir, '..', 'aside'));
        symlinkSync(join('..', 'aside'), join(dir, name));
      },
      false,
    ),
    refused(`a folder in place of ${name}`, (dir) => mkdirSync(gone(dir)), false),
    refused(`nothing in place of ${name}`, (dir) => void gone(dir)),
    refused(`an empty file in place of ${name}`, (dir) => writeFileSync(gone(dir), '')),
    refused(`half of ${name}`, (dir) => {
      const bytes = readFileSync(join(dir, name));
      writeFileSync(join(dir, name), bytes.subarray(0, bytes.length / 2));
    }),
    refused(`one more letter in ${name}`, (dir) => writeFileSync(join(dir, name), 'x', { flag: 'a' })),
  ];
}

export const FOLDERS: readonly Damage[] = [
  { name: 'nothing', expect: 'verified', apply: () => undefined, packable: true },
  refused('an empty folder', (dir) => mkdirSync(join(dir, 'more')), false),
  refused('an empty folder of a session', (dir) => mkdirSync(join(dir, 'raw', 'rb-x')), false),
  refused('a hidden file', (dir) => writeFileSync(join(dir, '.hidden'), 'x')),
  refused('a file more', (dir) => writeFileSync(join(dir, 'raw', 'more'), 'x')),
  refused(
    'raw/ behind a link',
    (dir) => {
      renameSync(join(dir, 'raw'), join(dir, '..', 'raw-aside'));
      symlinkSync(join('..', 'raw-aside'), join(dir, 'raw'));
    },
    false,
  ),
];
