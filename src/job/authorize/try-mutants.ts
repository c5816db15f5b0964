import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { readBundleDocuments } from '../../bundle/documents.ts';
import { recompute } from '../../bundle/recompute.ts';
import { verifyBundle } from '../../bundle/verify.ts';
import { RbError } from '../../errors/rb-error.ts';
import { hashFile } from '../../files/hash-file.ts';
import { walkFolder } from '../../files/walk.ts';
import type { MutantResult } from '../../model/qualification.ts';
import { decideFromRecords } from '../../verdict/from-records.ts';
import type { Environment } from '../verb.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const SOUND_COPY = 'untouched copy';

/** What is tried whenever there is evidence to damage, in this order. */
export const MUTANT_NAMES: readonly string[] = [SOUND_COPY, ...MUTANTS.map(({ name }) => name)];

/** What the ordinary code says of a bundle. */
interface Opinion {
  /** `PASS` …, or the code of the refusal to compute anything. */
  readonly verdict: string;
  /** Kinds of differences, or the code of the refusal; empty: it verifies. */
  readonly verify: string;
}

/**
 * Damages copies of a control's sealed evidence and asks the ordinary code about each: computing, deciding and verifying
 * must notice every one. The bundle itself stays as it is.
 * @param bundleDir sealed bundle with at least one valid episode; null: there is none, so nothing can be tried.
 */
export async function tryMutants(bundleDir: string | null, env: Environment): Promise<MutantResult[]> {
  const sessionId = bundleDir === null ? null : await finishedSession(bundleDir);
  if (bundleDir === null || sessionId === null) return MUTANTS.map(notTried);
  const scratch = mkdtempSync(path.join(env.RUNNER_TEMP ?? tmpdir(), 'rollout-bench-mutants-'));
  try {
    const sound = await opinionOf(copied(bundleDir, scratch, 'sound'), null);
    const results: MutantResult[] = [soundResult(sound)];
    for (const [index, mutant] of MUTANTS.entries()) {
      const dir = copied(bundleDir, scratch, String(index));
      mutant.apply({ dir, sessionId });
      const applied = contentOf(dir) !== contentOf(bundleDir);
      results.push(judged(mutant, applied, await opinionOf(dir, mutant)));
    }
    return results;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Mutants show nothing when the original is refused as well. */
function soundResult({ verdict, verify }: Opinion): MutantResult {
  return {
    name: SOUND_COPY,
    expected: 'a verdict, and verified',
    observed: observedText({ verdict, verify }),
    applied: true,
    ok: verify === '' && verdict !== 'INVALID' && !verdict.startsWith('RB'),
  };
}

function judged(mutant: Mutant, applied: boolean, opinion: Opinion): MutantResult {
  const undecided = opinion.verdict === 'INVALID' || opinion.verdict.startsWith('RB');
  return {
    name: mutant.name,
    expected: `${mutant.expects === 'no verdict' ? 'no verdict, and ' : ''}refused by verify`,
    observed: applied ? observedText(opinion) : 'the damage was not done',
    applied,
    ok: applied && opinion.verify !== '' && (mutant.expects === 'mismatch' || undecided),
  };
}

function notTried({ name, expects }: Mutant): MutantResult {
  return {
    name,
    expected: expects,
    observed: 'not tried: no control left sealed evidence of a finished episode',
    applied: false,
    ok: false,
  };
}

function observedText({ verdict, verify }: Opinion): string {
  const computed = verdict.startsWith('RB') ? `no verdict (${verdict})` : `verdict ${verdict}`;
  return verify === ''
    ? `verified; ${computed}`
    : `verify refuses it (${verify}); what is left says: ${computed}`;
}

/** A session whose episode the simulator finished: only such evidence can be damaged in every way. */
async function finishedSession(bundleDir: string): Promise<string | null> {
  const { records } = await recompute(bundleDir, await readBundleDocuments(bundleDir));
  const all = records.every(({ outcome }) => outcome === 'success' || outcome === 'failure');
  return all ? (records[0]?.sessionId ?? null) : null;
}

function copied(from: string, scratch: string, name: string): string {
  const dir = path.join(scratch, name);
  cpSync(from, dir, { recursive: true });
  return dir;
}

/** Names and contents of a folder, as one text to compare. */
function contentOf(dir: string): string {
  return walkFolder(dir)
    .files.map((name) => `${name} ${hashFile(path.join(dir, name)).sha256}`)
    .join('\n');
}

async function opinionOf(dir: string, mutant: Mutant | null): Promise<Opinion> {
  const verdict = await codeOr(async () => {
    const documents = await readBundleDocuments(dir);
    const { records } = await recompute(dir, documents);
    return decideFromRecords(documents.plan, mutant?.records?.(records) ?? records).verdict;
  });
  const verify = await codeOr(async () => {
    const differences = await verifyBundle(dir);
    return [...new Set(differences.map(({ kind }) => kind))].join(', ');
  });
  return { verdict, verify };
}

/** The answer, or the code of the refusal. A bug is thrown on. */
async function codeOr(ask: () => string | Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RbError) return error.problems[0]?.code ?? 'RB';
    throw error;
  }
}
