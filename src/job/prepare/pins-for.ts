import { canonicalDigest, canonicalJson } from '../../base/canonical-json.ts';
import { isRecord } from '../../base/guards.ts';
import { sha256Of } from '../../base/sha256.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { declared, observed, type Pin } from '../../model/pins.ts';
import type { Arm, Plan } from '../../model/plan.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { documentDigest } from '../../plan/document-digest.ts';
import type { HostFacts } from '../../platform/host-facts.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { fingerprintDigest } from '../../verdict/fingerprint.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';
import type { PolicySource, PolicySources } from './policy-source.ts';
import { protocolOf } from './protocol.ts';
import type { WorkspaceLook } from './workspace-look.ts';

interface PinFacts {
  readonly plan: Plan;
  readonly host: OpenHost;
  readonly found: FoundTasks;
  readonly inputs: Inputs;
  readonly context: RunContext;
  /** What the policies are started from that the run starts; left out: none. */
  readonly sources?: PolicySources;
  /** The documents before the first write. */
  readonly look: WorkspaceLook;
  readonly tool: RunFacts['tool'];
  readonly machine: HostFacts;
  /** Digest of each arm's metadata; a policy that nobody asked, or that sends none, has none. */
  readonly policyDigests: Readonly<Partial<Record<Arm, string | null>>>;
}

/** Everything that identifies what a plan measures on this host, in the order in which it is shown. Pure. */
export function pinsFor(facts: PinFacts): Pin[] {
  const { plan, host, found, look, tool } = facts;
  return [
    ...sourcePins(facts.context),
    ...policyPins(facts),
    observed('target fingerprint', fingerprintDigest(protocolOf(plan, host, found))),
    observed('target contract sha256', digestOf(host.base.contract)),
    observed('target entry sha256', digestOf(host.base.entry)),
    observed('skill runtime entry sha256', digestOf(look.skillruntimes?.get(plan.skillruntime) ?? null)),
    observed('RUNTIME.md sha256', look.runtimeMd),
    observed('runtime dialect', host.dialect ?? host.watchdog),
    observed('simulator', found.description?.runtime ?? null),
    // Hardly a target tells its simulator's version, and a wrong one has halved a rate before.
    observed('simulator version', versionText(found)),
    ...renderingPins(found),
    ...machinePins(facts.machine),
    ...planPins(plan, found),
    observed('Rollout Bench', tool.version),
    observed('Rollout Bench dist sha256', tool.distHash),
  ];
}

/** Of what draws and what is drawn by lot; left out where a target says nothing of it. */
function renderingPins({ description }: PinFacts['found']): Pin[] {
  const said = description?.protocol ?? {};
  const names = [
    ['env seed', said.env_seed],
    ['GL backend', said.gl_backend],
    ['GL renderer', said.gl_renderer],
  ] as const;
  return names.flatMap(([name, value]) => {
    const text = pinValue(value);
    return text === null ? [] : [observed(name, text)];
  });
}

/** A word or number as it is, a map that has a sha256 by that, anything else by its digest. */
function pinValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.slice(0, MAX_PIN_TEXT);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const sha256 = isRecord(value) ? value.sha256 : null;
  return typeof sha256 === 'string' ? sha256.slice(0, MAX_PIN_TEXT) : canonicalDigest(value);
}

/** A pin is a line of a report. */
const MAX_PIN_TEXT = 200;

function versionText({ description }: PinFacts['found']): string | null {
  const versions = description?.protocol.simulator_versions;
  return versions === undefined ? null : canonicalJson(versions).slice(0, MAX_PIN_TEXT);
}

/** Requested and resolved name of the base apart. Whether what is served was made from them nobody can see here. */
function sourcePins({ ref, headCommit, baseCommit }: RunContext): Pin[] {
  return [
    declared('policy ref requested', ref),
    declared('policy commit', headCommit),
    ...(baseCommit === null ? [] : [declared('base commit', baseCommit)]),
  ];
}

/** The declared ones are about the candidate; a baseline is another policy on purpose. */
function policyPins({ plan, inputs, policyDigests, sources = {} }: PinFacts): Pin[] {
  const digest = inputs.checkpoint === null ? declared : observed;
  return [
    declared('candidate policy reference', inputs.policyRef),
    digest('candidate checkpoint digest', inputs.digests.checkpoint),
    declared('candidate image digest', inputs.digests.image),
    ...plan.arms.flatMap((arm) => startedPins(arm, sources[arm])),
    ...plan.arms.map((arm) => observed(`${arm} policy metadata`, policyDigests[arm] ?? null)),
  ];
}

/** What this program starts itself, it has seen. */
function startedPins(arm: Arm, source: PolicySource | undefined): Pin[] {
  if (source === undefined) return [];
  const { command, checkout } = source;
  const changes = checkout?.hasChanges === true ? ' with uncommitted changes' : '';
  return [
    observed(`${arm} command`, command.length > MAX_PIN_TEXT ? `sha256:${sha256Of(command)}` : command),
    observed(`${arm} commit`, checkout === null ? null : `${checkout.commit}${changes}`),
  ];
}

function machinePins({ gpus }: HostFacts): Pin[] {
  const each = (of: 'name' | 'driver'): string | null => {
    if (gpus === null) return null;
    return gpus.length === 0 ? 'none' : [...new Set(gpus.map((gpu) => gpu[of]))].join(', ');
  };
  return [observed('GPU', each('name')), observed('GPU driver', each('driver'))];
}

/**
 * Digests of what was planned. The few ids of a held-out plan could be found by trying; its salt stands against that.
 */
function planPins({ tasks, initStates, heldOut }: Plan, { description }: FoundTasks): Pin[] {
  const salt = heldOut?.salt;
  const digest = (list: unknown): string => canonicalDigest(salt === undefined ? list : [salt, list]);
  const tasksPin = description === null ? declared : observed;
  return [
    tasksPin('tasks sha256', digest(tasks)),
    declared('initial state ids sha256', digest(initStates)),
    // Hardly a target tells which files it took them from.
    observed('initial state files', pinValue(description?.protocol.init_state_source)),
  ];
}

function digestOf(value: unknown): string | null {
  return value === null || value === undefined ? null : documentDigest(value);
}
