/** `workspace`: the copy that stays on the host. `published`: everything that leaves it. */
export type Audience = 'workspace' | 'published';

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/?#]*@)?([^/?#\s]+)/i;

/**
 * An endpoint as it may be shown: scheme, host and port on the host, the role alone elsewhere. User names, passwords,
 * paths and queries never appear.
 */
export function endpointText(endpoint: string | null, role: string, audience: Audience): string {
  if (endpoint === null) return 'unknown';
  if (audience === 'published') return role;
  const match = ADDRESS.exec(endpoint);
  return match === null ? role : `${match[1]}://${match[2]}`;
}
