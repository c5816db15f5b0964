import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { MARKER } from './environment.ts';

/** A process of this machine, as /proc/<pid>/stat has it; see proc_pid_stat(5). */
interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In ticks since the machine was started. */
  readonly startTime: string;
  /** Ended, and only waits for its parent to ask how. */
  readonly isOver: boolean;
}

/** One process, and not a later one with the same id. */
interface Anchor {
  readonly pid: number;
  readonly startTime: string;
}

/** A process group; as long as one of its anchors lives, its id belongs to nobody else. */
interface ProcessGroup {
  readonly id: number;
  readonly anchors: readonly Anchor[];
}

/** Where a command was told to serve, and where it was started. */
interface Place {
  /** On the loopback device; it was free and was given to nobody else. */
  readonly port: number;
  /** Absolute. */
  readonly directory: string;
}

/** By what the processes of one command are known. */
export interface Mark {
  readonly token: string;
  readonly group: ProcessGroup | null;
  /** Null when nothing but the marker is known. */
  readonly place: Place | null;
}

/** Does this machine tell what runs on it? */
export function tellsProcesses(): boolean {
  return statOf(process.pid) !== null;
}

/** The group of a process that was just started as the first one of its own; null when it is gone. */
export function groupLedBy(pid: number): ProcessGroup | null {
  const stat = statOf(pid);
  return stat?.group === pid ? { id: pid, anchors: [stat].map(anchorOf) } : null;
}

/** The group of a process that ended a moment ago, by those who are still in it; null when nobody is. */
export function groupLeftBy(pid: number): ProcessGroup | null {
  const members = [...processes().values()].filter(({ group }) => group === pid);
  return members.length === 0 ? null : { id: pid, anchors: members.map(anchorOf) };
}

function anchorOf({ pid, startTime }: ProcessStat): Anchor {
  return { pid, startTime };
}

/**
 * Every living process that a command started: those with its marker in their environment, those of its process group
 * while that is certain to be the same one, those that were told its port and are at its place, and whatever descends
 * from them. Never this process.
 */
export function processesOf({ token, group, place }: Mark): readonly number[] {
  const all = processes();
  const isSameGroup = group?.anchors.some((anchor) => {
    const now = all.get(anchor.pid);
    return now?.startTime === anchor.startTime && now.group === group.id;
  });
  const isThere = place === null ? () => false : thereAt(place);
  const found = new Set<number>();
  for (const each of all.values()) {
    if (each.pid === process.pid) continue;
    const isOfGroup = isSameGroup === true && each.group === group?.id;
    if (isOfGroup || isMarked(each.pid, token) || isThere(each.pid)) found.add(each.pid);
  }
  // Parents come before their children only by chance, so until nothing is added.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const each of all.values()) if (found.has(each.parent)) found.add(each.pid);
  }
  return [...found].filter((pid) => all.get(pid)?.isOver === false);
}

function processes(): ReadonlyMap<number, ProcessStat> {
  const found = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null) found.set(stat.pid, stat);
  }
  return found;
}

function statOf(pid: number): ProcessStat | null {
  const text = read(`/proc/${pid}/stat`);
  // The name is in parentheses and may hold any character, parentheses too.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    startTime,
    isOver: state === 'Z' || state === 'X',
  };
}

/** Of a process of another user nothing is seen; it cannot be ended either. */
function isMarked(pid: number, token: string): boolean {
  return hasVariable(pid, `${MARKER}=${token}`);
}

function hasVariable(pid: number, entry: string): boolean {
  return (read(`/proc/${pid}/environ`) ?? '').split('\0').includes(entry);
}

/**
 * Tells a process that left the group and was started without the marker, as by `env -i`: the port stands in its
 * environment or is an argument, and it listens there or works in the folder. Either alone may be anybody's.
 */
function thereAt({ port, directory }: Place): (pid: number) => boolean {
  const folder = realOf(directory);
  const sockets = listeners().flatMap((each) => (each.port === port ? [each.inode] : []));
  return (pid) => {
    const isTold = hasVariable(pid, `PORT=${port}`) || hasArgument(pid, port);
    if (!isTold) return false;
    const at = linkOf(`/proc/${pid}/cwd`);
    const isInFolder = at !== null && (at === folder || at.startsWith(`${folder}/`));
    return isInFolder || (sockets.length > 0 && socketsOf(pid).some((inode) => sockets.includes(inode)));
  };
}

function hasArgument(pid: number, port: number): boolean {
  const given = read(`/proc/${pid}/cmdline`) ?? '';
  return new RegExp(`(?<![0-9])${port}(?![0-9])`).test(given);
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

function linkOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

/** Does anything listen at this TCP port of this machine, whoever it belongs to? */
export function isListenedAt(port: number): boolean {
  return listeners().some((each) => each.port === port);
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

/** TCP ports on which any of these processes listens, ascending. */
export function portsOf(pids: readonly number[]): readonly number[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  const first = pids[0];
  if (first === undefined || sockets.size === 0) return [];
  const ports = listeners(first).flatMap(({ port, inode }) => (sockets.has(inode) ? [port] : []));
  return [...new Set(ports)].sort((left, right) => left - right);
}

const LISTENING = '0A';

interface Listener {
  readonly port: number;
  /** Of its socket. */
  readonly inode: string;
}

/** Of the network that a process sees; see proc_pid_net(5): address and port in hex digits, state, inode. */
function listeners(pid: number | 'self' = 'self'): readonly Listener[] {
  return ['tcp', 'tcp6'].flatMap((name) => {
    const lines = (read(`/proc/${pid}/net/${name}`) ?? '').split('\n');
    return lines.flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/ +/);
      if (state !== LISTENING || inode === undefined) return [];
      return [{ port: Number.parseInt(local?.split(':')[1] ?? '', 16), inode }];
    });
  });
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`) ?? '')?.[1];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}
