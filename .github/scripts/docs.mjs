/**
 * Writes what follows from src: the inputs and outputs of action.yml, docs/inputs.md, the sample comment and the short
 * tables of the README between its markers, docs/errors.md and docs/schemas/;
 * the workflows of docs/examples as `setup` writes them and as the pages of the jobs show them. With --check nothing is written and a difference is an error.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const WIDTH = 110;

/** The areas of the error codes by their hundreds. */
const AREAS = {
  1: 'Inputs, config file and command line',
  2: 'Documents of the workspace',
  3: 'Preconditions, target, policy and plan',
  4: 'Lane, queue, journal and waiting',
  5: 'Evidence',
  6: 'Results and verdict',
  7: 'Bundle',
  8: 'Publishing',
  9: 'A host, its workspace, and policies that a run starts',
};

async function loadTables() {
  const result = await build({
    entryPoints: [`${root}/.github/scripts/documented.ts`],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire('file:///');" },
  });
  const [{ text }] = result.outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
}

/**
 * Default and example follow the description, because action.yml has no place for them that the config could win over.
 * Expressions lose their braces: a runner refuses the whole action when a description holds one.
 */
function inputSentence(row) {
  const fallback = row.default ?? row.otherwise;
  const sentences = [row.description];
  if (fallback === 'required') sentences.push('Required, here or in the config file.');
  else if (fallback !== undefined && fallback !== null) sentences.push(`Default: ${fallback}.`);
  return `${sentences.join(' ')} Example: ${row.example.replaceAll(/\$\{\{ *(.*?) *\}\}/g, '$1')}`;
}

function quotedYaml(key, text) {
  const lines = [];
  let line = `    ${key}: "`;
  for (const word of text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').split(' ')) {
    if (line.length + word.length > WIDTH && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = '      ';
    }
    line += `${word} `;
  }
  lines.push(`${line.trimEnd()}"`);
  return lines.join('\n');
}

function actionYaml(text, tables) {
  const inputs = actionGroups(tables).flatMap(([title, names]) => [
    `  # ${title}`,
    ...names.map((name) => {
      const row = tables.inputRow(name);
      const fallback = row.actionDefault === undefined ? '' : `\n    default: ${row.actionDefault}`;
      return `  ${name}:\n${quotedYaml('description', inputSentence(row))}\n    required: false${fallback}`;
    }),
  ]);
  const outputs = Object.entries(tables.OUTPUT_TABLE).map(([name, description]) => {
    return `  ${name}:\n${quotedYaml('description', description)}`;
  });
  const withInputs = replaceBlock(text, 'inputs', `inputs:\n${inputs.join('\n')}\n`);
  return replaceBlock(withInputs, 'outputs', `outputs:\n${outputs.join('\n')}\n`);
}

/** The inputs of action.yml below their headings, those of every day first. */
function actionGroups(tables) {
  const rest = tables.INPUT_GROUPS.map(([title, names]) => [
    title,
    names.filter((name) => tables.inputRow(name).level === 'input'),
  ]);
  return [['Everyday', tables.EVERYDAY_INPUTS], ...rest.filter(([, names]) => names.length > 0)];
}

/** Replaces a top-level block of a YAML file, or puts it before `runs:`. */
function replaceBlock(text, key, block) {
  const existing = new RegExp(`^${key}:.*\\n(?:(?: .*)?\\n)*`, 'm');
  if (existing.test(text)) return text.replace(existing, () => `${block}\n`);
  return text.replace(/^runs:/m, () => `${block}\nruns:`);
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text) => (text.includes('`') ? text : `\`${text}\``);

/** Behind the name of an input, who meets it. */
const MARKS = { everyday: ' (everyday)', input: '', setting: ' (setting)' };

function inputsTable(names, tables) {
  const rows = names.map((name) => {
    const row = tables.inputRow(name);
    const fallback = row.default === null ? (row.otherwise ?? '') : code(row.default);
    const general = ['run', 'report', 'all'].every((mode) => row.modes.includes(mode));
    const modes = general ? '' : ` Mode ${row.modes.join(', ')} only.`;
    return `| \`${name}\`${MARKS[row.level]} | ${cell(row.kind.name)} | ${cell(fallback)} | ${cell(row.description)}${modes} | ${cell(code(row.example))} |`;
  });
  return ['| input | type | default | meaning | example |', '|---|---|---|---|---|', ...rows].join('\n');
}

function outputsTable(tables) {
  const rows = Object.entries(tables.OUTPUT_TABLE).map(([name, text]) => `| \`${name}\` | ${cell(text)} |`);
  return ['| output | meaning |', '|---|---|', ...rows].join('\n');
}

/** The first sentence says what an input is for; the rest, type and example are on the page of inputs. */
function shortInputsTable(tables) {
  const rows = tables.ACTION_INPUTS.map((name) => {
    const row = tables.inputRow(name);
    const fallback = row.default === null ? (row.otherwise ?? '') : code(row.default);
    const [first] = row.description.split(/(?<=[.])\s(?=[A-Z`])/);
    return `| \`${name}\` | ${cell(fallback)} | ${cell(first)} |`;
  });
  return ['| input | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function readme(text, tables) {
  const withSample = between(text, 'sample-comment', quoted(tables.sampleComment()));
  return between(between(withSample, 'inputs', shortInputsTable(tables)), 'outputs', outputsTable(tables));
}

/** Puts generated text between `<!-- name:begin -->` and `<!-- name:end -->`; a file without the markers keeps its text. */
function between(text, name, generated) {
  const pattern = new RegExp(`(<!-- ${name}:(?:begin|start) -->\\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
  return text.replace(pattern, (_all, begin, end) => `${begin}\n${generated}\n\n${end}`);
}

const quoted = (text) => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');

function inputsPage(tables) {
  return [
    '# Inputs and outputs',
    '',
    'Generated from the tables in `src/inputs`; do not edit.',
    '',
    'Each input but `github-token` is also a key of the `config` file and, with `--` in front, an option of the commands that',
    'take it. What is marked as a *setting* belongs to the repository rather than to one job: it is a key of the config file and',
    'an option of the command line, and the action refuses it with the line to write. The config file is',
    '`.github/rollout-bench.yml` of the checkout unless `config` names another. Only `workspace` must be given. Ranges are written `0-9,12`, rates `0.9` or `90%`, durations `90`, `30m` or',
    '`1h30m`; a comma or a line break separates the items of a list.',
    ...tables.INPUT_GROUPS.flatMap(([title, names]) => ['', `## ${title}`, '', inputsTable(names, tables)]),
    '',
    '## Outputs',
    '',
    'Texts; an output of which nothing is known is the empty text, never 0.',
    '',
    outputsTable(tables),
    '',
  ].join('\n');
}

/** How a job ends that has this problem alone. */
function endOf({ severity, exit }, tables) {
  if (severity === 'warning') return 'a warning';
  return exit === undefined ? '' : String(tables.EXIT[exit]);
}

function errorsPage(tables) {
  const lines = [
    '# Errors and exit codes',
    '',
    'Generated from the catalogue in `src/errors`; do not edit.',
    '',
    'A message has a code, the place, what is wrong, the value where it helps, and what to do. All problems that can be',
    'found are listed at once. A bug of this program has no code: it prints its stack. Where the tables below name an exit',
    'code, that is how a job ends that has this problem alone; a warning ends none, and the others depend on who finds them.',
    'A job that has a verdict ends by it: there a publisher that fails is a warning, too.',
    '',
    '## Exit codes of the command line',
    '',
    '| code | meaning |',
    '|---|---|',
    ...tables.exitTable().map(([number, meaning]) => `| ${number} | ${cell(meaning)} |`),
  ];
  for (const [hundred, title] of Object.entries(AREAS)) {
    const entries = Object.entries(tables.ERROR_CATALOGUE)
      .filter(([name]) => name.startsWith(`RB${hundred}`))
      .sort(([left], [right]) => (left < right ? -1 : 1));
    if (entries.length === 0) continue;
    lines.push(
      '',
      `## ${title}`,
      '',
      '| code | title | what it means and what to do | exit |',
      '|---|---|---|---|',
    );
    for (const [name, entry] of entries)
      lines.push(`| ${name} | ${cell(entry.title)} | ${cell(entry.help)} | ${endOf(entry, tables)} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** What `setup` writes is what the examples show, so there is one place to change both. */
function setupExamples() {
  const names = [
    'pull-request',
    'pull-request-kit',
    'nightly-pages',
    'release-gate',
    'lerobot',
    'vla-eval',
    'openpi',
  ];
  return Object.fromEntries(names.map((name) => [`${name}.yml`, read(`docs/examples/${name}.yml`)]));
}

/** The page of a job opens with the workflow that does it, as it is in docs/examples. */
const JOB_WORKFLOWS = {
  'docs/job-pull-request.md': 'pull-request.yml',
  'docs/job-release.md': 'release-gate.yml',
  'docs/job-nightly.md': 'nightly-pages.yml',
};

function jobPage(path, example) {
  const workflow = read(`docs/examples/${example}`).trimEnd();
  return between(read(path), 'workflow', `\`\`\`yaml\n${workflow}\n\`\`\``);
}

const tables = await loadTables();
const read = (path) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : '');
const wanted = new Map([
  ['action.yml', actionYaml(read('action.yml'), tables)],
  ['README.md', readme(read('README.md'), tables)],
  ['docs/inputs.md', inputsPage(tables)],
  ['docs/errors.md', errorsPage(tables)],
  ...Object.entries(JOB_WORKFLOWS).map(([path, example]) => [path, jobPage(path, example)]),
  ['src/setup/examples.json', `${JSON.stringify(setupExamples(), null, 2)}\n`],
  ...Object.entries(tables.jsonSchemas()).map(([name, schema]) => [
    `docs/schemas/${name}.schema.json`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]),
]);
const stale = [...wanted].filter(([path, text]) => read(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of stale)
    console.error(`${path} is not what the tables say; run node .github/scripts/docs.mjs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true });
    writeFileSync(`${root}/${path}`, text);
    console.log(`wrote ${path}`);
  }
}
