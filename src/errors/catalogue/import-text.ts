/** RB93x: text formats of other tools. */
export const IMPORT_TEXT_ERRORS = {
  RB930: {
    title: 'A result file holds a rate and not of how many episodes',
    help: 'RoboTwin’s _result.txt is a rate alone. Give the console log, which counts each episode, or say with `--planned` how many episodes each task had. A rate that no whole number of them gives is refused.',
  },
  RB931: {
    title: 'A result file does not hold one rate',
    help: 'RoboTwin’s _result.txt has one rate at its end. A file with none was cut off; one with several was put together by somebody.',
  },
} as const;
