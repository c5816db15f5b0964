/** The code of a system error of Node (`ENOENT`) or of a library that names its errors so; null for anything else. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
