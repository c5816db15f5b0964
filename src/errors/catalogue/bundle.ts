/** RB7xx: bundle, seal, verify. */
export const BUNDLE_ERRORS = {
  RB701: {
    title: 'A file of the bundle already exists',
    help: 'Evidence is written once and never replaced. A sealed attempt stays as it is; measure again as a new attempt.',
    fix: 'Keep this attempt as it is and start the next one.',
    exit: 'refused',
  },
  RB702: {
    title: 'This release does not know the bundle’s format',
    help: 'Each format keeps its own computation. Check the bundle with the release that the message names.',
    exit: 'verifyMismatch',
  },
  RB703: {
    title: 'The folder is no readable bundle',
    help: 'A bundle holds plan.json, run.json, journal.jsonl, raw/ and, once sealed, manifest.json. Name the attempt folder itself.',
    exit: 'verifyMismatch',
  },
  RB704: {
    title: 'A secret was found in a file that would leave the host',
    help: 'The file was moved to quarantine and the run fails. Change the secret, find out how it got into the file, and measure again.',
    exit: 'refused',
  },
  RB705: {
    title: 'The bundle cannot be packed',
    help: 'Paths in an archive are limited to 255 bytes. Choose a shorter run id or suite name.',
    fix: 'Choose a shorter run id or suite name.',
    exit: 'refused',
  },
  RB706: {
    title: 'The bundle is not what was sealed',
    help: 'A file is missing, extra or changed, or results.json does not follow from raw/. `rollout-bench verify` lists everything.',
    fix: 'Take the bundle as it was uploaded, or measure again.',
  },
  RB707: {
    title: 'The archive is refused',
    help: 'A bundle archive holds plain files below one folder. Links, climbing or absolute paths, and files beyond the limits are refused before anything is used.',
    fix: 'Take the archive as it was uploaded.',
    exit: 'verifyMismatch',
  },
  RB708: {
    title: 'No bundle there',
    help: 'Name the attempt folder of a bundle (it holds manifest.json), or the .tar.gz archive that was uploaded.',
  },
  RB709: {
    title: 'No bundle to report on',
    help: 'Mode report takes the paths in `bundle`, else the bundle artifacts of the measuring workflow run. None was found or reached.',
    fix: 'Give bundle with the paths of bundles, or run after a job that measured in mode run.',
    exit: 'noVerdict',
  },
} as const;
