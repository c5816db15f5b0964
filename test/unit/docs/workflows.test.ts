import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../meta/source-files.ts';
import { stepProblems, type Workflow, workflowSchema } from './workflow.ts';

const FOLDERS = ['.github/workflows', 'docs/examples'];

const files = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const read = (path: string): Workflow => workflowSchema.parse(parse(readFileSync(join(ROOT, path), 'utf8')));

describe.each(files.map((path) => [path]))('%s', (path) => {
  it('gives no permission to all jobs at once, and a time limit to each', () => {
    const workflow = read(path);
    expect(workflow.permissions).toEqual({});
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeTypeOf('number');
  });

  it('pins every action of others by its full commit, and uses inputs of ours that exist', () => {
    const steps = Object.values(read(path).jobs).flatMap((job) => job.steps);
    expect(steps.flatMap(stepProblems)).toEqual([]);
  });

  it('puts no value of the event into a shell', () => {
    const shells = Object.values(read(path).jobs).flatMap((job) => job.steps.map(({ run }) => run ?? ''));
    expect(shells.filter((run) => run.includes('${{'))).toEqual([]);
  });
});

describe('the permissions of the project', () => {
  it('say why, on the line of each', () => {
    const granted = files
      .filter((path) => path.startsWith('.github/'))
      .flatMap((path) => readFileSync(join(ROOT, path), 'utf8').split('\n'))
      .filter((line) =>
        /^\s+(?:actions|contents|pages|id-token|pull-requests|checks|issues): (?:read|write)/.test(line),
      );
    expect(granted.length).toBeGreaterThan(0);
    expect(granted.filter((line) => !/# \S/.test(line))).toEqual([]);
  });
});
