/**
 * The steps of a release that are done on a machine of one's own, and its notes.
 *   node .github/scripts/release.mjs prepare X.Y.Z     version of package.json and of the lock file, entry of the changelog
 *   node .github/scripts/release.mjs notes X.Y.Z       prints that entry; release.yml makes it the notes of the release
 *   node .github/scripts/release.mjs owner NAME/REPO   puts the repository's address where the documents have a placeholder
 * Nothing is written when anything is wrong; the folder is the present one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const CHANGELOG = 'docs/changelog.md';
const UPCOMING = '## Next release';
const VERSION = /^\d+\.\d+\.\d+$/;
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/;
/** In two pieces, so that this file does not find itself. */
const PLACEHOLDER = `${'OWNER'}/rollout-bench`;

const read = (path) => readFileSync(path, 'utf8');

/** The lines between the heading and the next one of its kind. */
function entryOf(heading) {
  const [, after] = `\n${read(CHANGELOG)}`.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`${CHANGELOG} has no entry "${heading}".`);
  const [entry] = after.split(/^## /m);
  if (entry.trim() === '') throw new Error(`The entry "${heading}" of ${CHANGELOG} says nothing.`);
  return entry.trim();
}

/** Links of the entry lead to the documents of the release, wherever the notes are shown. */
function notesOf(version) {
  const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: repository } = process.env;
  const entry = entryOf(`## ${version}`);
  if (repository === undefined) return entry;
  return entry.replaceAll(/\]\((?![a-z]+:)/g, `](${server}/${repository}/blob/v${version}/docs/`);
}

function withVersion(path, version) {
  const document = JSON.parse(read(path));
  document.version = version;
  if (document.packages?.[''] !== undefined) document.packages[''].version = version;
  return [path, `${JSON.stringify(document, null, 2)}\n`];
}

/** True when the first version is greater, number by number. */
function isNewer(version, than) {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at] > b[at];
}

function prepare(version) {
  const { version: current } = JSON.parse(read('package.json'));
  const headings = read(CHANGELOG).split('\n');
  const repeats = headings.includes(`## ${version}`);
  if (repeats) throw new Error(`${CHANGELOG} has an entry ${version} already.`);
  if (!isNewer(version, current)) throw new Error(`${version} does not come after ${current}.`);
  entryOf(UPCOMING);
  const changelog = headings.map((line) => (line === UPCOMING ? `## ${version}` : line)).join('\n');
  return [
    withVersion('package.json', version),
    withVersion('package-lock.json', version),
    [CHANGELOG, changelog],
  ];
}

function owner(repository) {
  const files = execFileSync('git', ['grep', '-l', '-I', '-F', PLACEHOLDER, '--', ':!dist'], {
    encoding: 'utf8',
  });
  const manifest = JSON.parse(read('package.json'));
  manifest.repository = { type: 'git', url: `git+https://github.com/${repository}.git` };
  return [
    ...files
      .trim()
      .split('\n')
      .filter((path) => path !== 'package.json')
      .map((path) => [path, read(path).replaceAll(PLACEHOLDER, repository)]),
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
  ];
}

const COMMANDS = {
  prepare: { takes: VERSION, files: prepare },
  owner: { takes: REPOSITORY, files: owner },
  notes: {
    takes: VERSION,
    files: (version) => {
      console.log(notesOf(version));
      return [];
    },
  },
};

try {
  const [name = '', argument = ''] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
  if (command === null) throw new Error(`Choose one of ${Object.keys(COMMANDS).join(', ')}.`);
  if (!command.takes.test(argument))
    throw new Error(`"${argument}" is not what "${name}" takes, ${command.takes}.`);
  for (const [path, text] of command.files(argument)) writeFileSync(path, text);
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
