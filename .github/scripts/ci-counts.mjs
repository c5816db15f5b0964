// Prints "passed failed skipped" of one vitest run.   node ci-counts.mjs REPORT.json EXIT_STATUS
// A file that could not be loaded counts as one failure, and so does a run that failed without any failed test
// (an unhandled error, a time limit). Exits 1 when there is no readable report.
import { readFileSync } from 'node:fs';

const [reportFile, status] = process.argv.slice(2);

function count(report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const having = (...states) => tests.filter((test) => states.includes(test.status)).length;
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = having('failed') + brokenFiles;
  const unexplained = status !== '0' && failed === 0 ? 1 : 0;
  return {
    passed: having('passed'),
    failed: failed + unexplained,
    skipped: having('skipped', 'pending', 'todo', 'disabled'),
  };
}

try {
  const { passed, failed, skipped } = count(JSON.parse(readFileSync(reportFile, 'utf8')));
  console.log(`${passed} ${failed} ${skipped}`);
} catch (error) {
  console.error(`no report: ${error.message}`);
  process.exitCode = 1;
}
