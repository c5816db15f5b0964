import { withoutOdd } from '../base/odd-characters.ts';
import { type Annotation, annotationsOf } from './annotations.ts';
import { clippedUnits } from './comment/ladder.ts';
import { plainLine } from './text/escape.ts';
import type { ReportView } from './view/report-view.ts';

/** GitHub's limits of a check run (REST documentation, checks). */
export const CHECK_TEXT_MAX_UNITS = 65_535;
const CHECK_TITLE_MAX_UNITS = 255;
const ANNOTATION_TITLE_MAX_UNITS = 255;
export const ANNOTATION_TEXT_MAX_BYTES = 65_536;
const ANNOTATIONS_PER_REQUEST = 50;
/** More than anybody reads; each further fifty would cost a request. */
const ANNOTATIONS_MAX = 100;

const NOTE = '\n\nCut for space; the full report is in the artifact.\n';

export interface CheckAnnotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

/** A Markdown field of a check, cut at a line end when too long. The limit is also kept in bytes, to be safe. */
export function checkText(text: string): string {
  if (text.length <= CHECK_TEXT_MAX_UNITS && Buffer.byteLength(text) <= CHECK_TEXT_MAX_UNITS) return text;
  const room = CHECK_TEXT_MAX_UNITS - NOTE.length;
  const cut = clippedUnits(text, { units: room, bytes: room });
  const lineEnd = cut.lastIndexOf('\n');
  return `${lineEnd > room / 2 ? cut.slice(0, lineEnd) : cut}${NOTE}`;
}

export function checkTitle(text: string): string {
  return plainLine(text, CHECK_TITLE_MAX_UNITS - 1);
}

/** Annotations inside every field limit, in requests of fifty; at least one, perhaps empty, request. */
export function annotationChunks(annotations: readonly CheckAnnotation[]): CheckAnnotation[][] {
  const kept = annotations.slice(0, ANNOTATIONS_MAX).map((annotation) => ({
    ...annotation,
    title: plainLine(annotation.title, ANNOTATION_TITLE_MAX_UNITS - 1),
    message: clippedUnits(withoutOdd(annotation.message, '\n\t'), {
      units: ANNOTATION_TEXT_MAX_BYTES,
      bytes: ANNOTATION_TEXT_MAX_BYTES,
    }),
  }));
  const chunks: CheckAnnotation[][] = [];
  for (let at = 0; at < kept.length; at += ANNOTATIONS_PER_REQUEST) {
    chunks.push(kept.slice(at, at + ANNOTATIONS_PER_REQUEST));
  }
  return chunks.length === 0 ? [[]] : chunks;
}

/** GitHub wants a file and a line for each annotation; an episode has none, so all stand at the repository's workflows. */
const PLACE = { path: '.github', start_line: 1, end_line: 1 } as const;

const LEVELS = {
  error: 'failure',
  warning: 'warning',
  notice: 'notice',
} as const satisfies Record<Annotation['level'], CheckAnnotation['annotation_level']>;

/** The verdict and the episodes worth a look, as annotations of a check run. Pure. */
export function checkAnnotations(view: ReportView): CheckAnnotation[] {
  return annotationsOf(view).map(({ level, title, message }) => ({
    ...PLACE,
    annotation_level: LEVELS[level],
    title,
    message,
  }));
}
