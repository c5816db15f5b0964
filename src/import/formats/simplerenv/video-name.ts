/** An episode as folder and file name of its video tell it. */
export interface NamedVideo {
  /** Folder of the checkpoint; null where the given folder lies below it. */
  readonly checkpoint: string | null;
  /** Scene, control mode, environment with its variant, and pose of the robot. */
  readonly variant: string;
  /** Environment without its variant: `GraspSingleOpenedCokeCanInScene-v0`. */
  readonly environment: string;
  readonly success: boolean;
  /** Id of the episode; null where the position of the object tells it. */
  readonly episode: number | null;
  /** Equal for one cell. */
  readonly cell: string;
}

const FILE =
  /^(success|failure)_obj_(?:episode_(\d{1,9})|(-?[\d.e+-]{1,40})_(-?[\d.e+-]{1,40}))(?:_.{0,200})?\.mp4$/;
const ROBOT = /^rob_-?[\d.e+-]{1,40}_.{1,200}$/;

/**
 * Reads `…/<ckpt>/<scene>/<control_mode>/<env>[_<k>_<v>…]/rob_…/<success|failure>_obj_….mp4`; null for any other path. Pure;
 * linear in its length.
 */
export function namedVideo(name: string): NamedVideo | null {
  const parts = name.split('/');
  const found = FILE.exec(parts.at(-1) ?? '');
  const [robot = '', environment = ''] = [parts.at(-2), parts.at(-3)];
  if (found === null || !ROBOT.test(robot) || environment === '') return null;
  const [, word, episode, x, y] = found;
  const place = episode === undefined ? position(x ?? '', y ?? '') : `episode ${episode}`;
  if (place === null) return null;
  const variant = parts.slice(-5, -1).map(plainNumbers).join('/');
  return {
    checkpoint: parts.at(-6) ?? null,
    variant,
    environment: /^.{1,200}?-v\d{1,3}(?=_|$)/.exec(environment)?.[0] ?? environment,
    success: word === 'success',
    episode: episode === undefined ? null : Number(episode),
    cell: `${variant} ${place}`,
  };
}

/** Python prints 0.1 + 0.2 as 0.30000000000000004, and another run the same place as 0.3. */
function position(x: string, y: string): string | null {
  const [east, north] = [Number(x), Number(y)];
  if (!Number.isFinite(east) || !Number.isFinite(north)) return null;
  return `object at ${rounded(east)}, ${rounded(north)}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(9)) + 0);
}

function plainNumbers(part: string): string {
  return part.replace(/-?\d{1,20}\.\d{1,20}/g, (text) => rounded(Number(text)));
}
