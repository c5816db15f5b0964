import { parseWsEndpoint } from '../describe/endpoint.ts';

/** The policy inside the runtime that answers zero actions; good for a dry run of everything else. */
const DUMMY_POLICY = 'dummy://local';

type ParsedPolicyEndpoint =
  | { readonly ok: true; readonly kind: 'dummy' }
  | { readonly ok: true; readonly kind: 'websocket'; readonly url: string }
  | { readonly ok: false; readonly why: string };

/** `openpi://host:port`, `policyws://host:port` or `dummy://local`. */
export function parsePolicyEndpoint(text: string): ParsedPolicyEndpoint {
  if (text === DUMMY_POLICY) return { ok: true, kind: 'dummy' };
  const parsed = parseWsEndpoint(text, ['openpi', 'policyws']);
  // The runtime connects to host and port only, so a path must not lead us to another policy than it.
  if (parsed.ok) return { ok: true, kind: 'websocket', url: `ws://${new URL(parsed.url).host}` };
  return { ok: false, why: `${parsed.why}${parsed.why.startsWith('must be') ? ` or ${DUMMY_POLICY}` : ''}` };
}
