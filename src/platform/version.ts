import { version } from '../../package.json';

/** The program's version, inlined into the bundle by the build. */
export const VERSION: string = version;
