import { ApprovalLedger } from '../../../src/approval/ledger.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';

/** Takes a right in a process of its own. Arguments: one JSON object, see `TakeWishes`. */

export interface TakeWishes {
  readonly workspace: string;
  readonly runId: string;
  readonly planDigest: string;
}

// Written by the test that starts this process.
const { workspace, runId, planDigest } = JSON.parse(process.argv[2] ?? '{}') as TakeWishes;
const ledger = new ApprovalLedger(hostFolder(workspace), Date.now);
const { approvals } = await ledger.read();
const suites = ['libero_spatial'];
const who = { suite: 'libero_spatial', shard: null, planDigest, runId, runUrl: null, suites, policies: {} };
process.stdout.write((await ledger.take({ toBegin: approvals, toGoOn: approvals }, who)).kind);
