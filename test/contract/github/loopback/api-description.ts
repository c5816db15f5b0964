import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import * as z from 'zod';

const schemaNode = z.looseObject({});
const descriptionSchema = z.object({
  operations: z.array(
    z.object({
      id: z.string(),
      method: z.string(),
      path: z.string(),
      parameters: z.array(
        z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: schemaNode }),
      ),
      body: schemaNode.nullable(),
      responses: z.record(z.string(), schemaNode.nullable()),
    }),
  ),
  components: z.object({ schemas: z.record(z.string(), schemaNode) }),
});

export type SchemaNode = Readonly<Record<string, unknown>>;
export type Operation = z.infer<typeof descriptionSchema>['operations'][number];
export interface MatchedOperation {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** GitHub's own description of the operations we use; cut out by extract-descriptions.mjs. */
export class ApiDescription {
  readonly #document: z.infer<typeof descriptionSchema>;
  readonly #ajv: Ajv;
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #routes: { readonly operation: Operation; readonly pattern: RegExp; readonly names: string[] }[];

  constructor() {
    const file = new URL('../../../../fixtures/github/openapi-subset.json', import.meta.url);
    this.#document = descriptionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    this.#ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormatsModule.default(this.#ajv);
    this.#ajv.addSchema(this.#document, 'github');
    this.#routes = this.#document.operations.map(routeOf);
  }

  /** The operation a request addresses; null when it is none of those described. */
  match(method: string, path: string): MatchedOperation | null {
    for (const { operation, pattern, names } of this.#routes) {
      const found = operation.method === method ? pattern.exec(path) : null;
      if (found === null) continue;
      const params = Object.fromEntries(
        names.map((name, n) => [name, decodeURIComponent(found[n + 1] ?? '')]),
      );
      return { operation, params };
    }
    return null;
  }

  /** What GitHub's description forbids in this request body, and properties it does not know. */
  requestFaults(operation: Operation, body: unknown): string[] {
    if (operation.body === null) return body === undefined ? [] : ['no body expected'];
    const pointer = `github#/operations/${this.#document.operations.indexOf(operation)}/body`;
    return [...this.#faults(pointer, body), ...this.#unknownProperties(operation.body, body, 'body')];
  }

  queryFaults(operation: Operation, query: URLSearchParams): string[] {
    const known = operation.parameters.filter((parameter) => parameter.in === 'query');
    const unknown = [...query.keys()].filter((key) => !known.some((parameter) => parameter.name === key));
    const missing = known.filter((parameter) => parameter.required && !query.has(parameter.name));
    return [
      ...unknown.map((key) => `query ${key} is not described`),
      ...missing.map((parameter) => `query ${parameter.name} is missing`),
    ];
  }

  /** A complete, valid answer: required members made up from the schema, then ours laid over them. */
  answer(operation: Operation, status: number, ours: unknown): unknown {
    const schema = operation.responses[String(status)] ?? null;
    if (schema === null) return ours;
    const whole = overlay(this.#sample(schema), ours, (path) => this.#sampleItem(schema, path));
    const pointer = `github#/operations/${this.#document.operations.indexOf(operation)}/responses/${status}`;
    const faults = this.#faults(pointer, whole);
    if (faults.length > 0)
      throw new Error(`the loopback's answer to ${operation.id} is invalid: ${faults.join('; ')}`);
    return whole;
  }

  #faults(pointer: string, value: unknown): string[] {
    let validate = this.#compiled.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: pointer });
      this.#compiled.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  }

  #resolve(node: unknown): SchemaNode {
    const schema = schemaNode.parse(node);
    const ref = schema['$ref'];
    if (typeof ref !== 'string') return schema;
    const target = this.#document.components.schemas[ref.slice('#/components/schemas/'.length)];
    return this.#resolve(target ?? {});
  }

  #alternatives(node: unknown): SchemaNode[] {
    const schema = this.#resolve(node);
    const nested = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]));
    return [schema, ...nested.flatMap((item) => this.#alternatives(item))];
  }

  #unknownProperties(node: unknown, value: unknown, at: string): string[] {
    const schemas = this.#alternatives(node);
    if (Array.isArray(value)) {
      const items = schemas.find((schema) => schema['items'] !== undefined)?.['items'];
      if (items === undefined) return [];
      return value.flatMap((item, n) => this.#unknownProperties(items, item, `${at}[${n}]`));
    }
    if (value === null || typeof value !== 'object') return [];
    const maps = schemas.map((schema) => schema['properties']).filter((map) => map !== undefined);
    if (maps.length === 0) return [];
    const properties = Object.assign({}, ...maps.map((map) => schemaNode.parse(map)));
    return Object.entries(value).flatMap(([key, member]) =>
      properties[key] === undefined
        ? [`${at}.${key} is not described`]
        : this.#unknownProperties(properties[key], member, `${at}.${key}`),
    );
  }

  /** The schema of what is there when it is not null, with the members of `allOf` in one. */
  #solid(node: unknown): SchemaNode {
    const { nullable: _, ...schema } = this.#resolve(node);
    const some = listOf(schema['anyOf'] ?? schema['oneOf']).find((part) => !('enum' in this.#resolve(part)));
    if (some !== undefined && schema['properties'] === undefined) return this.#solid(some);
    const parts = listOf(schema['allOf']).map((part) => this.#solid(part));
    return parts.length === 0 ? schema : Object.assign({}, ...parts);
  }

  #sampleItem(schema: unknown, path: readonly string[]): unknown {
    let at: SchemaNode | undefined = this.#solid(schema);
    for (const key of path) {
      const next: unknown = key === '[]' ? at['items'] : schemaNode.parse(at['properties'] ?? {})[key];
      if (next === undefined) return undefined;
      at = this.#solid(next);
    }
    return this.#sample(at);
  }

  #sample(node: unknown): unknown {
    const schema = this.#resolve(node);
    const parts = listOf(schema['allOf']);
    if (parts.length > 0) return Object.assign({}, ...parts.map((part) => this.#sample(part)));
    const first = listOf(schema['oneOf'])[0] ?? listOf(schema['anyOf'])[0];
    if (first !== undefined && schema['properties'] === undefined) return this.#sample(first);
    if (schema['nullable'] === true) return null;
    const values = schema['enum'];
    if (Array.isArray(values)) return values[0];
    if (schema['type'] === 'array') return [];
    if (schema['type'] === 'object' || schema['properties'] !== undefined) return this.#sampleObject(schema);
    return sampleScalar(schema);
  }

  #sampleObject(schema: SchemaNode): unknown {
    const properties = schemaNode.parse(schema['properties'] ?? {});
    const required = z.array(z.string()).parse(schema['required'] ?? []);
    return Object.fromEntries(required.map((key) => [key, this.#sample(properties[key] ?? {})]));
  }
}

function routeOf(operation: Operation) {
  const names: string[] = [];
  const pattern = operation.path.replaceAll('.', '\\.').replace(/\{([^}]+)\}/g, (_, name: string) => {
    names.push(name);
    // Only these parameters may hold slashes.
    return name === 'ref' || name === 'path' || name === 'branch' ? '(.+)' : '([^/]+)';
  });
  return { operation, pattern: new RegExp(`^${pattern}$`), names };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function sampleScalar(schema: SchemaNode): unknown {
  if (schema['type'] === 'integer' || schema['type'] === 'number') return 1;
  if (schema['type'] === 'boolean') return false;
  if (schema['format'] === 'date-time') return '2026-01-02T03:04:05Z';
  if (schema['format'] === 'uri') return 'https://api.github.com/made-up';
  if (schema['format'] === 'email') return 'made-up@example.com';
  return 'x'.repeat(typeof schema['minLength'] === 'number' ? schema['minLength'] : 1);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function overlay(
  base: unknown,
  ours: unknown,
  sampleAt: (path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  if (Array.isArray(ours)) {
    return ours.map((item) => overlay(sampleAt([...path, '[]']), item, sampleAt, [...path, '[]']));
  }
  if (!isRecord(ours)) return ours;
  const under = isRecord(base) ? base : sampleAt(path);
  const merged: Record<string, unknown> = isRecord(under) ? { ...under } : {};
  for (const [key, value] of Object.entries(ours)) {
    merged[key] = overlay(merged[key], value, sampleAt, [...path, key]);
  }
  return merged;
}
