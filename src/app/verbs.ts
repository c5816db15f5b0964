import type { Mode } from '../inputs/table/row.ts';
import type { VerbName } from '../inputs/verbs.ts';
import type { AfterJob, Verb } from '../job/verb.ts';

const report = async (): Promise<Verb> => (await import('./report.ts')).report;
const approve = async (): Promise<Verb> => (await import('./approve.ts')).approve;
const qualify = async (): Promise<Verb> => (await import('./qualify.ts')).qualify;
const run = async (): Promise<Verb> => (await import('./run.ts')).run;

/**
 * Where each verb of the command line is. Every use case is loaded by itself: an error message must not wait for code
 * it does not need.
 */
export const VERBS: Record<VerbName, () => Promise<Verb>> = {
  setup: async () => (await import('./setup.ts')).setup,
  init: async () => (await import('./init.ts')).init,
  doctor: async () => (await import('./doctor.ts')).doctor,
  plan: async () => (await import('./plan.ts')).plan,
  qualify,
  run,
  report,
  import: async () => (await import('./import.ts')).importFiles,
  compare: async () => (await import('./compare.ts')).compare,
  approve,
  collect: async () => (await import('./collect.ts')).collect,
  verify: async () => (await import('./verify.ts')).verify,
  accept: async () => (await import('./accept.ts')).accept,
  inventory: async () => (await import('./inventory.ts')).inventory,
  clean: async () => (await import('./clean.ts')).clean,
  status: async () => (await import('./status.ts')).status,
  fence: async () => (await import('./fence.ts')).fence,
  host: async () => (await import('./host.ts')).host,
  demo: async () => (await import('./demo.ts')).demo,
};

/** The action's input `mode`. */
export const MODES: Record<Mode, () => Promise<Verb>> = { run, report, all: run, qualify, approve };

/** What the post step does with the state that main left. */
export const AFTER_JOB: () => Promise<AfterJob> = async () => (await import('./after-job.ts')).afterJob;
