/** RB2xx: runtime documents in the workspace. */
export const WORKSPACE_ERRORS = {
  RB201: {
    title: 'A runtime document is missing',
    help: 'The runtime reads TARGETS.md, SKILLRUNTIME.md and SESSIONS.md before anything else and stops without them.',
  },
  RB202: {
    title: 'A runtime document has no YAML block the runtime recognises',
    help: 'The file needs a block that opens with ```yaml (nothing after it) and closes with the same fence at the start of a line.',
    exit: 'refused',
  },
  RB203: {
    title: 'The YAML of a runtime document cannot be read',
    help: 'Mend the line that is named. Quote text with double quotes; indent with blanks, never with tabs.',
    exit: 'refused',
  },
  RB204: {
    title: 'A runtime document has the wrong overall shape',
    help: 'The block must be a mapping with the right version text and a list of entries.',
    exit: 'refused',
  },
  RB205: {
    title: 'An entry has a key the runtime does not know',
    help: 'One unknown key makes the runtime refuse the whole document, but which keys are known differs between its dialects, which the message names. Make sure of the dialect first (`dialect`), then remove the key or put it where it belongs.',
  },
  RB206: {
    title: 'An entry lacks a required key',
    help: 'Add the key. The runtime refuses the whole document.',
  },
  RB207: {
    title: 'A value has the wrong type',
    help: 'Quote text that looks like a number, a date or yes/no/on/off; leave a key out instead of setting it to null.',
  },
  RB208: { title: 'A value is not one of those allowed', help: 'Use one of the values the message lists.' },
  RB209: {
    title: 'Two entries have the same id',
    help: 'The runtime only ever acts on the first one; a second pending one blocks everything behind it. Rename or remove one.',
    exit: 'refused',
  },
  RB210: {
    title: 'A session id cannot be used as a file name',
    help: 'Use letters, digits, underscore and hyphen. Slashes, `.` and `..` are refused.',
  },
  RB211: {
    title: 'A verification contract is incomplete',
    help: 'With a mode other than "off", goal and success_criteria are required. Quote "off".',
  },
  RB212: {
    title: 'A runtime document has a shape we do not edit',
    help: 'Write the entries as a block-style list (one `- ` per entry), without flow brackets, anchors or several documents.',
  },
  RB213: {
    title: 'A path is a link or not a regular file',
    help: 'Replace the link by the file itself; links in the workspace are not followed.',
    exit: 'refused',
  },
  RB214: {
    title: 'A file is larger than the limit',
    help: 'Look at what filled the file; it is not read.',
    fix: 'Look at what filled the file; move old content away.',
    exit: 'refused',
  },
  RB215: {
    title: 'The owner or mode of a file could not be kept',
    help: 'Run the benchmark as the user that owns the workspace files, which is the user of the runtime.',
    exit: 'refused',
  },
  RB216: {
    title: 'A path leads out of the workspace',
    help: 'Use a path relative to the workspace, without `..`.',
    fix: 'Use a path relative to the workspace, without `..`.',
    exit: 'refused',
  },
  RB217: {
    title: 'No program for file locks was found',
    help: 'Install flock (package util-linux) or perl. Without the lock the queue could lose sessions.',
    exit: 'refused',
  },
  RB218: {
    title: 'A file lock was not free in time',
    help: 'The runtime holds the lock while it rewrites SESSIONS.md, which takes long when the file is large.',
    exit: 'busy',
  },
  RB219: {
    title: 'A file cannot be read or written',
    help: 'The runtime writes its files with mode 0600; run the benchmark as the same user.',
  },
  RB220: {
    title: 'The contract of a target does not match it',
    help: 'target_id and target_adapter in the contract file must equal those of the target, or every session is rejected.',
  },
  RB221: {
    title: 'The contract of a target cannot be used',
    help: 'Mend the contract file; without it every session is rejected.',
  },
  RB222: {
    title: 'A document holds what the runtime reads and this program cannot use',
    help: 'The message names the place: aliases that make a value contain itself or multiply beyond measure, or an escape that stands for half a character. Write the value out.',
    exit: 'refused',
  },
  RB223: {
    title: 'A value of the target cannot be copied as it is',
    help: 'Each task runs on a copy of the target and its contract. A mapping in them has keys that are no text, which the copy could not keep.',
  },
  RB225: {
    title: 'A session has been live for a long time without change',
    help: 'The runtime never recovers such entries after it was killed. When no watchdog works on it, set it to failed by hand.',
    fix: 'When no watchdog works on it, set its status to failed while holding the lock, or remove the entry.',
    severity: 'warning',
  },
  RB226: {
    title: 'Cell targets of an earlier run are left',
    help: 'Remove them with `rollout-bench clean`.',
    fix: 'Run `rollout-bench clean`; the next run removes them as well.',
    severity: 'warning',
  },
  RB228: {
    title: 'LOG.md makes every session slow',
    help: 'The runtime rewrites it for each session. `rollout-bench clean --log` moves our old entries aside.',
    severity: 'warning',
  },
  RB229: {
    title: 'SESSIONS.md makes every session slow',
    help: 'The runtime parses it eleven times a session. Move finished entries out of it.',
    fix: 'Move finished entries to another file while nothing runs and the lock is held.',
    severity: 'warning',
  },
  RB230: {
    title: 'A target refers to something that is not there',
    help: 'Correct the reference, or add what it names.',
    severity: 'warning',
  },
  RB231: {
    title: 'The workspace is not a folder',
    help: 'Give the folder that holds TARGETS.md, SKILLRUNTIME.md and SESSIONS.md.',
  },
  RB232: {
    title: 'A file changed while it was being replaced',
    help: 'Somebody else writes this file without the lock. Try again when they are done.',
    fix: 'Stop the program that writes it, then start the next attempt.',
    exit: 'refused',
  },
  RB234: {
    title: 'The workspace is of a runtime that is too old',
    help: 'Documents of May and early June 2026 (v0.1.1 to v0.1.3) have `skill_ref` and SKILLS.md and are not supported. Move to the runtime of 11 June 2026 or later.',
  },
  RB235: {
    title: 'Which dialect of the runtime reads the workspace cannot be told',
    help: 'The documents have keys of two dialects, of which each refuses those of the other. Say which runtime it is with `dialect`, and remove nothing before that is known.',
  },
  RB233: {
    title: 'The folder is no workspace of the runtime',
    help: 'It holds none of TARGETS.md, SKILLRUNTIME.md and SESSIONS.md. Check the path; `rollout-bench demo` needs no workspace.',
    fix: 'Give the folder that holds them. A new one gets them when the Agent is started once with its runtime enabled.',
  },
} as const;
