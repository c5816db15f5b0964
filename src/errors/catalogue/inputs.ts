/** RB1xx: inputs, config file, command line. */
export const INPUT_ERRORS = {
  RB100: { title: 'The inputs cannot be read', help: 'Read the message; it names the input and the value.' },
  RB101: {
    title: 'Unknown input',
    help: 'The name is not an input of this version. A misspelt gate would otherwise be no gate, so nothing is run.',
  },
  RB102: {
    title: 'Invalid value of an input',
    help: 'The message shows the value and an example of a right one.',
  },
  RB103: { title: 'A required input is missing', help: 'Give the input, or its key in the config file.' },
  RB104: {
    title: 'The config file cannot be used',
    help: 'It must be one YAML document of at most 256 kB: a map from input names to values.',
  },
  RB105: {
    title: 'Unknown key in the config file',
    help: 'Keys of the config file are the names of inputs.',
  },
  RB106: {
    title: 'A value of the config file has the wrong shape',
    help: 'Values are scalars; inputs that take several values also take a YAML list of scalars.',
  },
  RB107: {
    title: 'Inputs that contradict each other',
    help: 'Each value is right alone, but not together.',
    exit: 'usage',
  },
  RB108: {
    title: 'Input without effect',
    help: 'The value was read, and nothing in this run depends on it, or nothing shows that it is true.',
    severity: 'warning',
  },
  RB110: {
    title: 'Unknown command',
    help: 'Run `rollout-bench --help` for the list of commands.',
    exit: 'usage',
  },
  RB111: { title: 'Unknown option', help: 'Run the command with `--help` for its options.' },
  RB112: {
    title: 'Option given wrongly',
    help: 'Options are `--name value` or `--name=value`, each at most once.',
    exit: 'usage',
  },
  RB113: { title: 'Wrong number of arguments', help: 'Run the command with `--help` for its arguments.' },
  RB116: {
    title: 'The config file belongs to another commit',
    help: 'The file was found in the folder of the job, which is a checkout of a commit that this job is not about. A runner of your own keeps that folder from job to job, so another job may have left it. Check out in this job, or name the file with `config`.',
    exit: 'usage',
  },
  RB115: {
    title: 'A name of an earlier version',
    help: 'The input has another name now, is a part of another one, or is gone. The message has what to write instead.',
    exit: 'usage',
  },
  RB114: {
    title: 'A setting given as an input of the action',
    help: 'What belongs to the repository stands in the config file, where every workflow reads the same. The message has the line to write there; `docs/inputs.md` says which are settings.',
    exit: 'usage',
  },
} as const;
