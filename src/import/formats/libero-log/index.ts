import type { Importer } from '../../importer/importer.ts';
import { markOf } from './marks.ts';
import { readLogs } from './read-log.ts';

const RECORD = /# episodes completed so far: \d|Starting episode \d{1,9}\.\.\./;
const LOGGING = /(?:^|[\r\n])(?:INFO|ERROR):[a-z]{1,40}:/;
/** What only the later script of OpenVLA-OFT writes. */
const OFT = /Episode error:|Skipping task \d|Final results:|--openvla_oft--/;

type Kind = 'openvla' | 'openvla-oft' | 'openpi';

function kindOf(text: string): Kind | null {
  if (!RECORD.test(text) || /^\s{0,100}[{[]/.test(text)) return null;
  if (LOGGING.test(text)) return 'openpi';
  return OFT.test(text) ? 'openvla-oft' : 'openvla';
}

function importerFor(format: Kind, title: string): Importer {
  return {
    format,
    title,
    detect: ({ text }) => kindOf(text) === format,
    keeps: (line) => markOf(line) !== null,
    read: (input) => readLogs(title, input),
  };
}

/** `experiments/logs/EVAL-….txt` of OpenVLA's LIBERO script. */
export const openvla = importerFor('openvla', 'log of the LIBERO script of OpenVLA');

/** The same of OpenVLA-OFT, which names errors otherwise and may skip initial states. */
export const openvlaOft = importerFor('openvla-oft', 'log of the LIBERO script of OpenVLA-OFT');

/** What openpi's LIBERO script writes to its error stream, progress bars and all. */
export const openpi = importerFor('openpi', 'log of the LIBERO script of openpi');
