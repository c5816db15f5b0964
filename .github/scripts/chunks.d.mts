interface Metafile {
  inputs: Record<string, { imports: { path: string; kind: string }[] }>;
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}
type IsOurs = (file: string) => boolean;
export function takenAlong(metafile: Metafile, entries: string[], isOurs: IsOurs): Map<string, string[]>;
export function circleIn(metafile: Pick<Metafile, 'inputs'>, isOurs: IsOurs): string[] | null;
