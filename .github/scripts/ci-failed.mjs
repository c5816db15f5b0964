// Prints each failed test of one vitest run with the first lines of what it said.   node ci-failed.mjs REPORT.json
// A run prints thousands of lines; whoever reads only its end still learns what failed.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LINES_OF_A_MESSAGE = 8;

const firstLines = (message) =>
  message
    .split('\n')
    .slice(0, LINES_OF_A_MESSAGE)
    .map((line) => `      ${line.slice(0, 300)}`)
    .join('\n');

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const file of report.testResults.filter(({ status }) => status === 'failed')) {
  const name = relative(process.cwd(), file.name);
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) console.log(`    ${name}\n${firstLines(file.message ?? '')}`);
  for (const test of failed)
    console.log(`    ${name} > ${test.fullName}\n${firstLines((test.failureMessages ?? []).join('\n'))}`);
}
