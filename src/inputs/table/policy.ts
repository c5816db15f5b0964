import { parseTargetEndpoint } from '../../describe/endpoint.ts';
import { parsePolicyEndpoint } from '../../policy/endpoint.ts';
import { parseExpectation } from '../../policy/expectation.ts';
import * as kinds from './kinds.ts';
import { parts } from './parts.ts';
import { input } from './row.ts';

const targetEndpoint = kinds.kind('endpoint', (text) => {
  const parsed = parseTargetEndpoint(text);
  return parsed.ok ? text : new kinds.Wrong(parsed.why);
});

/** `openpi://host:port`, `policyws://host:port` or `dummy://local`. */
export const policyEndpoint = kinds.kind('endpoint', (text) => {
  const parsed = parsePolicyEndpoint(text);
  return parsed.ok ? text : new kinds.Wrong(parsed.why);
});

const expectation = kinds.kind(
  'digest or key=value list',
  (text) => {
    const parsed = parseExpectation(kinds.listItems(text));
    return parsed.ok ? parsed.expectation : new kinds.Wrong(parsed.why);
  },
  true,
);

const digestParts = parts({ checkpoint: kinds.digest, image: kinds.digest });

interface Digests {
  readonly checkpoint: string | null;
  readonly image: string | null;
}

const digests: kinds.Kind<Digests> = {
  ...digestParts,
  parse: (text) => {
    if (text.trim() === 'none') return { checkpoint: null, image: null };
    const found = digestParts.parse(text);
    return found instanceof kinds.Wrong ? found : { checkpoint: null, image: null, ...found };
  },
};

/** Which policy is measured, and where it and the target listen. */
export const POLICY_INPUTS = {
  'policy-endpoint': input(policyEndpoint, {
    key: 'policyEndpoint',
    level: 'everyday',
    short: 'where the policy listens, such as openpi://127.0.0.1:8000',
    default: null,
    otherwise: "`policy_endpoint` of the target's config",
    description:
      'Where the policy listens: `openpi://host:port`, `policyws://host:port`, or `dummy://local` for a dry run.',
    example: 'openpi://127.0.0.1:8000',
  }),
  'baseline-endpoint': input(policyEndpoint, {
    key: 'baselineEndpoint',
    level: 'input',
    default: null,
    otherwise: 'one policy is measured',
    description:
      'Where a second policy listens, the baseline. Both are measured on the same initial states, in counterbalanced order, and compared pair by pair.',
    example: 'openpi://127.0.0.1:8001',
  }),
  'record-policy': input(kinds.choice(['auto', 'true', 'false']), {
    key: 'recordPolicy',
    default: 'auto',
    description:
      'Measures through a relay on the loopback device that records, for each session, which policy answered it, how often and how fast. `auto`: for a release, and with `baseline-endpoint`. The watchdog must run on the same machine.',
    example: 'true',
  }),
  'target-endpoint': input(targetEndpoint, {
    key: 'targetEndpoint',
    level: 'input',
    default: null,
    otherwise: 'as TARGETS.md has it',
    description: 'Where the target listens, in place of its endpoint in TARGETS.md.',
    example: 'targetws://127.0.0.1:9002',
  }),
  'policy-wait': input(kinds.duration(0), {
    key: 'policyWaitS',
    default: '300',
    description: 'How long to wait for the policy to accept a connection and send its metadata.',
    example: '10m',
  }),
  'policy-timeout': input(kinds.duration(1), {
    key: 'policyTimeoutS',
    default: '60',
    description: 'How long the runtime waits for each answer of the policy.',
    example: '180',
  }),
  'expect-policy': input(expectation, {
    key: 'expectPolicy',
    level: 'input',
    default: null,
    otherwise: 'any policy is measured',
    description:
      'What the metadata of the policy must be: its `sha256:` digest, or `key=value` pairs. Anything else stops before an episode is queued.',
    example: 'checkpoint=pi05-libero-30k',
  }),
  'policy-ref': input(kinds.text('text', 300), {
    key: 'policyRef',
    level: 'everyday',
    short: 'name of the policy for the report, such as a commit',
    default: null,
    otherwise: 'not recorded',
    description: 'Name of the policy for the report, for example a commit or a model name.',
    example: 'pi05-libero@1f3c2a9',
  }),
  digests: input(digests, {
    key: 'digests',
    level: 'input',
    default: 'none',
    description:
      "Digests as you computed them, of the `checkpoint` and of the `image` of the policy server's container; recorded, not checked.",
    example:
      'checkpoint=sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, image=sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  }),
};
