import { copyFile, mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import { problemLine } from '../../errors/rb-error.ts';
import { problemsOf } from '../../github/failure.ts';
import { writeStepSummary } from '../../github/step-summary.ts';
import type { EpisodeRecord } from '../../outcome/episode-record.ts';
import type { Log } from '../../platform/ports.ts';
import { annotationsOf } from '../../report/annotations.ts';
import { SUMMARY_BUDGET, summaryMarkdown } from '../../report/summary.ts';
import { terminalReport } from '../../report/terminal.ts';
import type { VerbContext } from '../verb.ts';
import type { SuiteRun } from './run-suite.ts';

/** Shows a measured run where people look: table, groups and annotations in the log, job summary, report folder. */
export async function showRun(runs: readonly SuiteRun[], verb: VerbContext): Promise<void> {
  for (const run of runs) {
    if (!verb.json) verb.stdout(`\n${terminalReport(run.sealed.view)}\nReport: ${run.sealed.reportPath}\n`);
    if (verb.action !== null) annotate(run, verb.log);
  }
  if (verb.action !== null) await summarise(runs, verb);
  const { reportDir } = verb.inputs;
  if (reportDir !== null) await copyReports(runs, reportDir);
}

function annotate({ plan, sealed }: SuiteRun, log: Log): void {
  for (const task of plan.tasks) {
    const records = sealed.records.filter(({ taskId }) => taskId === task.taskId);
    log.group(`${plan.suite} task ${task.taskId}: ${task.language}`);
    for (const record of records) log.info(episodeLine(record));
    log.endGroup();
  }
  for (const { level, title, message } of annotationsOf(sealed.view)) {
    const text = `${title}: ${message}`;
    if (level === 'error') log.error(text);
    else if (level === 'warning') log.warning(text);
    else log.info(text);
  }
}

function episodeLine(record: EpisodeRecord): string {
  const { initStateId, runIndex, arm, outcome, steps, errorCode, errorMessage } = record;
  const repeat = runIndex === 0 ? '' : ` run ${runIndex}`;
  const after = steps === null ? '' : ` after ${steps} steps`;
  const why = [errorCode, errorMessage].filter((text) => text !== null).join(': ');
  return `init state ${initStateId}${repeat} (${arm}): ${outcome}${after}${why === '' ? '' : ` (${why.slice(0, 200)})`}`;
}

/** A summary that cannot be written is a warning: the report is in the bundle all the same. */
async function summarise(runs: readonly SuiteRun[], { env, log }: VerbContext): Promise<void> {
  const budget = Math.floor(SUMMARY_BUDGET / Math.max(1, runs.length));
  const markdown = runs.map(({ sealed }) => summaryMarkdown(sealed.view, budget)).join('\n');
  try {
    await writeStepSummary(env.GITHUB_STEP_SUMMARY, markdown);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    for (const problem of problems) log.warning(problemLine(problem));
  }
}

async function copyReports(runs: readonly SuiteRun[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { sealed } of runs) {
    await copyFile(sealed.reportPath, path.join(folder, sealed.reportFile));
  }
}
