// Prints how src/ hangs together: circles, longest call chain, sizes.   node .github/scripts/measure-structure.mjs [--names] [checkout]
// --names adds what is behind each number. Measured is this repository, if no other checkout is given.
//
// The longest static call chain is the longest path from `run` in src/app/run.ts through definitions at the top of files, each
// of which mentions the next by name (calls it, or hands it on to be called). Functions that reach each other count as one,
// and a method behind an interface is not followed.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { names: { type: 'boolean' } },
  allowPositionals: true,
});

const load = async (name) =>
  (await runnerImport(`${ROOT}/.github/scripts/structure/${name}.ts`, { root: ROOT })).module;
const { readSources } = await load('sources');
const { measure } = await load('measure');

const root = positionals[0] ?? ROOT;
const users = ['test', '.github'].flatMap((folder) => readSources(`${root}/${folder}`, `../${folder}/`));
const figures = measure(readSources(`${root}/src`), users);
const width = (key) => Math.max(...figures.map((figure) => figure[key].length));
const columns = { what: width('what'), value: Math.max(width('value'), 'now'.length) };
console.log(`${'src/'.padEnd(columns.what)}  ${'now'.padStart(columns.value)}  goal`);
for (const { what, value, goal, names } of figures) {
  console.log(`${what.padEnd(columns.what)}  ${value.padStart(columns.value)}  ${goal}`.trimEnd());
  if (values.names) for (const name of names) console.log(`    ${name}`);
}
