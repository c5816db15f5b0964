import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../../docs/simulators', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.py'));

/** LIBERO's own requirements still name Python 3.8, so its server and what that imports must parse there. */
const PARSE = 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1], feature_version=(3, 8))';

describe('the servers of docs/simulators', () => {
  it.each(files)('%s is Python', (name) => {
    const { status, stderr } = spawnSync('python3', ['-c', PARSE, name], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('are the kit, the policy kit, and one for each simulator', () => {
    expect(files.sort()).toEqual([
      'gymnasium_server.py',
      'libero_server.py',
      'metaworld_policy.py',
      'metaworld_server.py',
      'openpi_policy.py',
      'targetws.py',
    ]);
  });
});
