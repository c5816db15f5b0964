import type { Results } from '../../model/results.ts';
import type { ViewRow } from './report-input.ts';

/** Files that a report names; run.json has all. */
const NAMED = 20;
/** Notes and figures that a report lists; run.json has all. */
const LISTED = 60;

/** Where imported numbers come from and what that cannot show, in short sentences; empty for any other run. Pure. */
export function suppliedTexts({ run: { imported } }: Pick<Results, 'run'>): string[] {
  if (imported === undefined) return [];
  const { title, version, files, planned, matching } = imported;
  const said = version === null ? '' : `, version ${version}`;
  const [first] = files;
  const from = files.length === 1 && first !== undefined ? first.name : `${files.length} files`;
  const plan =
    planned === null
      ? 'How many episodes were planned is unknown, so nothing is known to be complete.'
      : `Planned: ${planned}.`;
  return [
    `Imported from ${from} (${title}${said}): supplied by the measured job, and neither measured nor watched here. ${plan}`,
    matching,
  ];
}

/** What was imported, and the tool's own figures beside ours; empty for any other run. Pure. */
export function importedRows({ run: { imported } }: Pick<Results, 'run'>): ViewRow[] {
  if (imported === undefined) return [];
  const text = (label: string, value: string): ViewRow => ({ label, value, code: false });
  const { files, figures, notes, planned } = imported;
  const more = files.length > NAMED ? [text('More files', String(files.length - NAMED))] : [];
  return [
    ...files.slice(0, NAMED).map(({ name, bytes, kept }, at): ViewRow => {
      const lines = kept === undefined ? '' : ', of which the lines that are read were kept';
      return text(`Imported file ${at + 1}`, `${name}, ${bytes} bytes${lines}`);
    }),
    ...more,
    text('Episodes planned', planned ?? 'unknown: nobody said'),
    ...figures
      .slice(0, LISTED)
      .map(({ name, told, counted, why }) =>
        text(
          `The tool’s own ${name}`,
          `${told}; from the episodes: ${counted}${why === null ? '' : ` (${why})`}`,
        ),
      ),
    ...notes.slice(0, LISTED).map((note) => text('Note', note)),
  ];
}

/** Figures of the tool that its own episodes do not give, in sentences; they never decide. Pure. */
export function figureWarnings({ run: { imported } }: Pick<Results, 'run'>): string[] {
  return (imported?.figures ?? [])
    .filter(({ why }) => why !== null)
    .slice(0, LISTED)
    .map(
      ({ name, told, counted, why }) =>
        `The tool’s own ${name} is ${told}, its episodes give ${counted}: ${why}.`,
    );
}
