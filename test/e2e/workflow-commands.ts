/** A `::name key=value::message` line as the runner understands it. */
export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

const COMMAND = /^\s*::([a-z-]+)(?: ([^:]*))?::(.*)$/;
const HEREDOC = /^([^=<]+)<<(.+)$/;

const unescaped = (text: string): string =>
  text
    .replaceAll('%0A', '\n')
    .replaceAll('%0D', '\r')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');

/** All workflow commands in what a step printed, in order. */
export function parseCommands(output: string): readonly WorkflowCommand[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [matched, name = '', properties = '', message = ''] = COMMAND.exec(line) ?? [];
    if (matched === undefined) return [];
    const pairs = properties.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [] : [[pair.slice(0, at).trim(), unescaped(pair.slice(at + 1))] as const];
    });
    return [{ name, properties: Object.fromEntries(pairs), message: unescaped(message) }];
  });
}

/** GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV: `name=value` lines and `name<<delimiter` blocks. */
export function parseCommandFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').replace(/\r$/, '');
    const [, heredocName, delimiter] = HEREDOC.exec(line) ?? [];
    if (heredocName !== undefined && delimiter !== undefined) {
      const end = lines.findIndex(
        (candidate, at) => at > index && candidate.replace(/\r$/, '') === delimiter,
      );
      if (end < 0) throw new Error(`no end of block ${heredocName}`);
      values[heredocName] = lines.slice(index + 1, end).join('\n');
      index = end;
    } else if (line.includes('=')) {
      values[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
    }
  }
  return values;
}
