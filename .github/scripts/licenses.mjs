import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying)([.-].*)?$/i;
const BUNDLED_PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Packages that ship no licence file, with what they state elsewhere.
 * A new package without a file fails the build, so that somebody looks before it is distributed.
 */
const STATED_LICENCES = {
  '@nodable/entities': 'MIT (stated in package.json; no licence file in the package)',
  binary: 'MIT (stated in package.json and README; no licence file in the package)',
  buffers:
    'Not stated in the package (buffers 0.1.1 by James Halliday, who licenses binary and chainsaw as MIT)',
  chainsaw: 'MIT/X11 (stated in package.json; no licence file in the package)',
  isarray: 'MIT (stated in package.json and README; no licence file in the package)',
};

/**
 * The licence texts of every package that went into the bundle.
 * @param {import('esbuild').Metafile} metafile of the build
 * @param {string} root folder the metafile's paths are relative to
 * @returns {string} one section per text, with every package it belongs to, sorted by the first of them
 * @throws when a bundled package has neither a licence file nor a line in the table above
 */
export function licenceTexts(metafile, root) {
  const sections = bundledPackages(metafile, root).map((folder) => licenceSection(folder));
  sections.push(...sourceLicences(metafile, root));
  const missing = sections.filter((section) => section.text === null).map((section) => section.title);
  if (missing.length > 0) {
    throw new Error(
      `No licence file in: ${missing.join(', ')}. Check the licence, then add it to STATED_LICENCES.`,
    );
  }
  const rule = '-'.repeat(80);
  return [...sharedTexts(sections)]
    .map(([text, titles]) => `${rule}\n${titles.join('\n')}\n${rule}\n${text}\n`)
    .join('\n');
}

/** Packages of one project often carry one text; it stands once, below all of their names. */
function sharedTexts(sections) {
  const byText = new Map();
  for (const { title, text } of sections.toSorted((a, b) => (a.title < b.title ? -1 : 1))) {
    byText.set(text, [...(byText.get(text) ?? []), title]);
  }
  return byText;
}

function bundledPackages(metafile, root) {
  const folders = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const input of Object.keys(output.inputs)) {
      const match = BUNDLED_PACKAGE.exec(input);
      if (match) folders.add(packageFolder(join(root, match[1])));
    }
  }
  return [...folders];
}

/** Folders of our own source that follow somebody else's work say so in a licence file of their own. */
function sourceLicences(metafile, root) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = new Set(inputs.filter((input) => input.startsWith('src/')).map((input) => dirname(input)));
  return [...folders].sort().flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => LICENCE_FILE.test(name))
      .map((name) => ({ title: folder, text: licenceText(join(root, folder, name)) })),
  );
}

function licenceText(file) {
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
}

/** The folder's own package.json may be a bare module marker, so the one with a name counts. */
function packageFolder(folder) {
  const file = join(folder, 'package.json');
  if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name) return folder;
  return packageFolder(dirname(folder));
}

function licenceSection(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort()
    .map((name) => licenceText(join(folder, name)));
  const stated = STATED_LICENCES[manifest.name] ?? null;
  return {
    title: `${manifest.name}@${manifest.version}`,
    text: texts.length > 0 ? texts.join('\n\n') : stated,
  };
}
