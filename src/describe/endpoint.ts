type ParsedEndpoint =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly why: string };

/**
 * Checks `scheme://host:port[/path][?query]` and gives the `ws://` address behind it.
 * User names and passwords are refused: the endpoint is written into SESSIONS.md and reports.
 * @param schemes without `://`.
 */
export function parseWsEndpoint(text: string, schemes: readonly string[]): ParsedEndpoint {
  const expected = schemes.map((scheme) => `${scheme}://host:port`).join(' or ');
  const match = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s.exec(text);
  const [, scheme = '', rest = ''] = match ?? [];
  if (!schemes.includes(scheme)) return { ok: false, why: `must be ${expected}` };
  const url = parseUrl(`ws://${rest}`);
  if (url === null || /[\s\\]/.test(rest)) return { ok: false, why: `must be ${expected}` };
  if (url.username !== '' || url.password !== '')
    return { ok: false, why: 'must not hold a user name or password' };
  // The URL parser drops a port that is the scheme's default, so the text itself has to be asked.
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  const port = Number(/:([0-9]{1,5})$/.exec(authority)?.[1] ?? 0);
  if (port < 1 || port > 65_535) return { ok: false, why: `needs a port from 1 to 65535: ${expected}` };
  return { ok: true, url: `ws://${url.hostname}:${port}${url.pathname}${url.search}` };
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** `targetws://host:port[/path][?query]` */
export function parseTargetEndpoint(text: string): ParsedEndpoint {
  return parseWsEndpoint(text, ['targetws']);
}
