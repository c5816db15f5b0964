// Runs the benchmarks of test/bench/.   node .github/scripts/bench.mjs [part of a name] [arguments of the benchmark]
// Each *.bench.ts is bundled into a temporary file and run in a process of its own, one after the other.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [wanted = '', ...args] = process.argv.slice(2);
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

const names = readdirSync(join(ROOT, 'test/bench'))
  .filter((name) => name.endsWith('.bench.ts') && name.includes(wanted))
  .sort();
const out = mkdtempSync(join(tmpdir(), 'rb-bench-'));
let failed = false;
try {
  for (const name of names) {
    const outfile = join(out, name.replace(/\.ts$/, '.mjs'));
    await build({
      absWorkingDir: ROOT,
      entryPoints: [join('test/bench', name)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      mainFields: ['module', 'main'],
      banner: { js: BANNER },
      logLevel: 'warning',
    });
    console.log(`\n${name}`);
    const env = { ...process.env, RB_BENCH_ROOT: ROOT.replace(/\/$/, '') };
    const done = spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit', env });
    failed ||= done.status !== 0;
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
