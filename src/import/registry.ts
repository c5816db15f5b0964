import { count } from './formats/count/index.ts';
import { lerobot } from './formats/lerobot/index.ts';
import { openpi, openvla, openvlaOft } from './formats/libero-log/index.ts';
import { robotwin } from './formats/robotwin/index.ts';
import { simplerenv } from './formats/simplerenv/index.ts';
import type { FileHead, Importer } from './importer/importer.ts';

/** Every format, in the order in which they are asked about a file. */
export const IMPORTERS: readonly Importer[] = [
  lerobot,
  openpi,
  openvlaOft,
  openvla,
  robotwin,
  simplerenv,
  count,
];

/** Words of `--format`. */
export const FORMATS: readonly string[] = IMPORTERS.map(({ format }) => format);

/** Null for a word that names none. */
export function importerNamed(format: string): Importer | null {
  return IMPORTERS.find((importer) => importer.format === format) ?? null;
}

/** The format of a file; null when none knows it. */
export function importerOf(head: FileHead): Importer | null {
  return IMPORTERS.find(({ detect }) => detect(head)) ?? null;
}
