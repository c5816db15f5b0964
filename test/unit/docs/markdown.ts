import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../meta/source-files.ts';

/** A Markdown document of the project, by its path from the root, with `/`. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

export interface Block {
  /** `docs/usage.md:42`, the line of the opening fence. */
  readonly where: string;
  /** First word after the fence; empty when there is none. */
  readonly language: string;
  readonly text: string;
}

const FOLDERS = ['docs', 'docs/examples', 'docs/simulators', '.github'];

export function documents(): readonly Document[] {
  const found = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return ['README.md', ...found.sort()].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
}

/** Fenced blocks, indentation of the fence taken off. */
export function blocksOf({ path, text }: Document): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const opening = /^(\s*)(`{3,})(\w*)/.exec(lines[at] ?? '');
    if (opening === null) continue;
    const [, indent = '', fence = '', language = ''] = opening;
    const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence));
    if (end < 0) throw new Error(`${path}:${at + 1} opens a block that never ends`);
    const body = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ where: `${path}:${at + 1}`, language, text: `${body.join('\n')}\n` });
    at = end;
  }
  return blocks;
}

/** The text without code, in which a link is a link. */
function prose(text: string): string {
  return text.replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2\s*$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** Targets of Markdown links, images included. */
export function linksOf({ text }: Document): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** Anchors that GitHub gives to the headings. */
export function anchorsOf({ text }: Document): ReadonlySet<string> {
  const headings = text.replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2\s*$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set([...headings].map(([, title = '']) => slug(title)));
}

function slug(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
