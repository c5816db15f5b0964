import { count } from './formats/count/index.ts';
import { csv } from './formats/csv/index.ts';
import { junit } from './formats/junit/index.ts';
import { lerobot } from './formats/lerobot/index.ts';
import { openpi, openvla, openvlaOft } from './formats/libero-log/index.ts';
import { liberoPlus } from './formats/libero-plus/index.ts';
import { phyAgentOs } from './formats/phyagentos/index.ts';
import { robotwin } from './formats/robotwin/index.ts';
import { simplerenv } from './formats/simplerenv/index.ts';
import { starvla } from './formats/starvla/index.ts';
import { tri } from './formats/tri/index.ts';
import { vlaEval } from './formats/vla-eval/index.ts';
import type { FileHead, Importer } from './importer/importer.ts';

/** Every format, in the order in which they are asked about a file. */
export const IMPORTERS: readonly Importer[] = [
  lerobot,
  openpi,
  openvlaOft,
  openvla,
  robotwin,
  simplerenv,
  vlaEval,
  tri,
  starvla,
  liberoPlus,
  phyAgentOs,
  csv,
  junit,
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
