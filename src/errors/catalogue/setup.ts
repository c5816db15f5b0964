/** RB995 to RB999: the files of a gate. */
export const SETUP_ERRORS = {
  RB995: {
    title: 'An answer of setup is missing or is none of its choices',
    help: '`setup` asks at a terminal; elsewhere each answer needs its option, or `--yes` takes what would be offered. What you have, and the evaluation tool, are among the names in the message.',
    exit: 'usage',
  },
  RB996: {
    title: 'A file of the gate is there already',
    help: '`setup` writes over nothing without being asked, and nothing was written. Look at the file, then answer yes at the terminal or give `--replace`; another folder is `--repository`.',
    exit: 'refused',
  },
  RB997: {
    title: 'A folder of the gate is a link',
    help: '`setup` follows no link, since what it writes could land outside of the repository. Put a folder there, or give the real one with `--repository`.',
    exit: 'refused',
  },
} as const;
