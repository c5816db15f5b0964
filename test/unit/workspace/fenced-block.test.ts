import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findYamlBlock, renderDocument } from '../../../src/workspace/fenced-block.ts';

function bodyOf(text: string): string | null {
  const found = findYamlBlock(text);
  return 'problem' in found ? null : found.body;
}

describe('the block of a runtime document', () => {
  it.each([
    ['backticks', '```yaml\na: 1\n```\n'],
    ['tildes', '~~~yaml\na: 1\n~~~\n'],
    ['upper case', '```YAML\na: 1\n```\n'],
    ['a blank before yaml', '``` yaml\na: 1\n```\n'],
    ['blanks after yaml', '```yaml  \na: 1\n```\n'],
    ['four backticks', '````yaml\na: 1\n````\n'],
    ['a longer closing fence', '```yaml\na: 1\n`````\n'],
    ['no line feed at the end', '```yaml\na: 1\n```'],
    ['carriage returns', '# T\r\n\r\n```yaml\r\na: 1\r\n```\r\n'],
    ['a byte order mark', '\ufeff```yaml\na: 1\n```\n'],
    ['an indented opening fence', '  ```yaml\na: 1\n```\n'],
    ['text before it', 'Write `yaml` here:\n\n```yaml\na: 1\n```\n'],
    ['a block of another language first', '```json\n{"b": 2}\n```\n\n```yaml\na: 1\n```\n'],
    ['two blocks, the first counts', '```yaml\na: 1\n```\n```yaml\nb: 1\n```\n'],
    ['blank lines after the fence', '```yaml\n\n\na: 1\n```\n'],
    ['four backticks closed by three', '````yaml\na: 1\n```\n'],
  ])('is found with %s', (_name, text) => {
    expect(bodyOf(text)).toBe('a: 1');
  });

  it.each([
    ['an empty file', '', 'empty'],
    ['yml', '```yml\na: 1\n```\n', '`yml`'],
    ['no language', '```\na: 1\n```\n', 'no block'],
    ['a title after yaml', '```yaml title=x\na: 1\n```\n', 'follows'],
    ['yamlish', '```yamlish\na: 1\n```\n', 'follows'],
    ['no closing fence', '```yaml\na: 1\n', 'not closed'],
    ['the other fence at the end', '```yaml\na: 1\n~~~\n', 'not closed'],
    ['an indented closing fence', '```yaml\na: 1\n  ```\n', 'not closed'],
    ['an empty body', '```yaml\n```\n', 'no body'],
  ])('is not found with %s', (_name, text, why) => {
    const found = findYamlBlock(text);
    expect(found).toHaveProperty('problem');
    expect('problem' in found ? found.problem : '').toContain(why);
  });

  it('ends at the first line that starts with the fence, even inside a quoted text', () => {
    expect(bodyOf('```yaml\na: "x\n```\ny"\n```\n')).toBe('a: "x');
  });

  it('takes a body of blank lines as empty', () => {
    expect(bodyOf('```yaml\n\n```\n')).toBe('');
    expect(bodyOf('```yaml\r\n\r\n```\r\n')).toBe('');
  });

  it.each(['\n', '\r\n', '\r'])('gives offsets that cut out exactly the body (line end %j)', (lineEnd) => {
    const text = ['# Targets', '', 'Text.', '```yaml', 'a: 1', 'b: 2', '```', 'after'].join(lineEnd);
    const found = findYamlBlock(text);
    if ('problem' in found) throw new Error(found.problem);
    expect(text.slice(found.start, found.end)).toBe(found.body);
    expect(found.body).toBe(['a: 1', 'b: 2'].join(lineEnd));
    expect(found.lineEnd).toBe(lineEnd);
    expect(found.firstLine).toBe(5);
  });

  it('is written the way the runtime writes it', () => {
    const text = renderDocument('Runtime Sessions', 'version: runtime_sessions_v1\nsessions: []\n');
    expect(text).toBe('# Runtime Sessions\n\n```yaml\nversion: runtime_sessions_v1\nsessions: []\n```\n');
    expect(bodyOf(text)).toBe('version: runtime_sessions_v1\nsessions: []');
  });

  it('agrees with a plain transcription of the rule on arbitrary texts', () => {
    // The rule as one expression, on text whose line ends are line feeds; slow on large texts, hence not the code itself.
    const rule = /(`{3,}|~{3,})\s*yaml\s*\n([\s\S]*?)\n\1/i;
    const piece = fc.constantFrom(
      '```',
      '````',
      '~~~',
      '`',
      '~',
      'yaml',
      'YAML',
      'yml',
      ' ',
      '\n',
      '\n\n',
      '  ',
      'a: 1',
      '\t',
      'x',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (pieces, lineEnd) => {
          const text = pieces.join('');
          const expected = rule.exec(text)?.[2] ?? null;
          const found = bodyOf(text.replaceAll('\n', lineEnd));
          expect(found?.replaceAll(lineEnd, '\n') ?? null).toBe(expected);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('takes no time that grows with the square of a large text', () => {
    const body = `${'```yamlish\n~~~\n'.repeat(1000)}${'- a: 1\n'.repeat(100_000)}`;
    expect(bodyOf(`\`\`\`\`\`yaml\n${body}\`\`\`\`\`\n`)?.length).toBe(body.length - 1);
  });
});
