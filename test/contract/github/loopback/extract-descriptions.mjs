// Cuts the operations this project uses out of GitHub's own API descriptions and writes them to fixtures/github/.
//   In a folder outside the repository: npm install @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
//   node test/contract/github/loopback/extract-descriptions.mjs <that folder>
// Descriptions and examples are left out: the loopback needs shapes, not prose, and the whole is 400 MB installed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OPERATIONS = [
  'repos/get-branch',
  'git/get-ref',
  'git/create-ref',
  'git/update-ref',
  'git/get-commit',
  'git/create-commit',
  'git/get-tree',
  'git/create-tree',
  'git/get-blob',
  'git/create-blob',
  'repos/compare-commits',
  'repos/list-commits',
  'repos/get-content',
  'issues/list-comments',
  'issues/get-comment',
  'issues/create-comment',
  'issues/update-comment',
  'issues/delete-comment',
  'repos/list-pull-requests-associated-with-commit',
  'pulls/get',
  'pulls/list',
  'checks/create',
  'checks/update',
  'checks/list-for-ref',
  'actions/list-workflow-run-artifacts',
  'actions/download-artifact',
  'actions/get-workflow-run',
  'actions/list-jobs-for-workflow-run',
  'actions/get-reviews-for-run',
  'issues/list-events-for-timeline',
  'repos/get-collaborator-permission-level',
  'repos/list-activities',
  'repos/get-release-by-tag',
  'repos/list-releases',
  'repos/upload-release-asset',
  'repos/list-release-assets',
  'repos/delete-release-asset',
];
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'title', 'externalDocs']);

const folder = process.argv[2];
if (folder === undefined)
  throw new Error('usage: extract-descriptions.mjs <folder with @octokit/openapi installed>');
const whole = JSON.parse(
  readFileSync(join(folder, 'node_modules/@octokit/openapi/generated/api.github.com.json'), 'utf8'),
);
const target = (name) => fileURLToPath(new URL(`../../../../fixtures/github/${name}`, import.meta.url));

/** Schema keywords only; keys of a `properties` map are names, never keywords. */
function bare(node, insideProperties = false) {
  if (Array.isArray(node)) return node.map((item) => bare(item));
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(
    ([key]) => insideProperties || (!PROSE.has(key) && !key.startsWith('x-') && key !== 'default'),
  );
  const kept = Object.fromEntries(
    entries.map(([key, value]) => [key, bare(value, key === 'properties' && !insideProperties)]),
  );
  if (insideProperties || kept.nullable !== true) return kept;
  // GitHub lists the values of a nullable enumeration without null, which JSON Schema takes at its word.
  if (Array.isArray(kept.enum) && !kept.enum.includes(null)) kept.enum = [...kept.enum, null];
  if (kept.type !== undefined) return kept;
  // `nullable` beside a reference or a union says the same as one more alternative; the validator wants it that way.
  const { nullable: _, ...rest } = kept;
  return { anyOf: [{ enum: [null] }, rest] };
}

function resolved(node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .split('/')
    .slice(1)
    .reduce((at, key) => at[key], whole);
}

function operation(method, path, described) {
  const parameters = (described.parameters ?? [])
    .map(resolved)
    .map(({ name, in: place, required, schema }) => ({
      name,
      in: place,
      required: required ?? false,
      schema: bare(schema),
    }));
  const body = described.requestBody?.content?.['application/json']?.schema;
  const responses = Object.fromEntries(
    Object.entries(described.responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [
        status,
        bare(resolved(response).content?.['application/json']?.schema ?? null),
      ]),
  );
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: bare(body ?? null),
    responses,
  };
}

function referenced(node, into) {
  if (node === null || typeof node !== 'object') return into;
  if (typeof node.$ref === 'string' && node.$ref.startsWith('#/components/schemas/')) {
    const name = node.$ref.slice('#/components/schemas/'.length);
    if (!into.has(name)) {
      into.set(name, bare(whole.components.schemas[name]));
      referenced(into.get(name), into);
    }
  }
  for (const value of Object.values(node)) referenced(value, into);
  return into;
}

const operations = Object.entries(whole.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, described]) => OPERATIONS.includes(described.operationId))
    .map(([method, described]) => operation(method, path, described)),
);
const missing = OPERATIONS.filter((id) => !operations.some((found) => found.id === id));
if (missing.length > 0) throw new Error(`not in the description: ${missing.join(', ')}`);
const schemas = Object.fromEntries(
  [...referenced(operations, new Map())].sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(
  target('openapi-subset.json'),
  `${JSON.stringify({ source: '@octokit/openapi 23.0.2', operations, components: { schemas } })}\n`,
);

const idl = readFileSync(join(folder, 'node_modules/@octokit/graphql-schema/schema.graphql'), 'utf8');
const KEEP = { Query: ['viewer'], User: ['login', 'databaseId', 'id'] };
function typeBlock(name) {
  const lines = idl.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`type ${name} `) || line === `type ${name} {`);
  const fields = lines.slice(from + 1, lines.indexOf('}', from)).filter((line) => {
    const field = /^ {2}([A-Za-z]+)(\(|:)/.exec(line)?.[1];
    return field !== undefined && KEEP[name].includes(field);
  });
  return `type ${name} {\n${fields.join('\n')}\n}\n`;
}
writeFileSync(target('graphql-subset.graphql'), Object.keys(KEEP).map(typeBlock).join('\n'));
