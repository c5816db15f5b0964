import { type Annotation, annotationsOf } from './annotations.ts';
import type { CheckAnnotation } from './check-output.ts';
import type { ReportView } from './view/report-view.ts';

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
