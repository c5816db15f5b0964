import { type Problem, problemLine } from '../../errors/rb-error.ts';
import type { ServiceEvent, SessionEvent } from '../../host/service/events.ts';

/** A line for people, and how loud it is. */
interface HostLine {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** What the service did, in one line. Pure. */
export function hostLine(event: ServiceEvent): HostLine {
  switch (event.event) {
    case 'started':
      return info(`Watching SESSIONS.md: ${event.pending} pending, ${event.working} left at work by others.`);
    case 'taken':
      return info(`${named(event.sessionId, event.cell)} taken${on(event.simulator)}`);
    case 'session':
      return sessionLine(event);
    case 'recovered':
      return info(`${event.sessionId} was left by an earlier host; it is ${event.status} now.`);
    case 'left': {
      const since = event.since === null ? '' : ` since ${event.since}`;
      const fix = 'Nothing, while a watchdog runs it; else set its status to failed, or take it out.';
      return problem('warning', {
        code: 'RB967',
        where: `SESSIONS.md session ${event.sessionId}`,
        message: `it is ${event.status}${since}, and this host did not take it.`,
        fix,
      });
    }
    case 'waiting': {
      const fix = 'Mend it where it is a document; the host goes on by itself.';
      return problem('warning', { code: 'RB965', where: 'workspace', message: `${event.reason}.`, fix });
    }
    case 'going-on':
      return info('Going on.');
    case 'stopped': {
      const message = `${event.reason}, and not by this host; it takes no more sessions.`;
      const fix = 'Stop the other watchdog, then start this one again.';
      return problem('error', { code: 'RB962', where: 'SESSIONS.md', message, fix });
    }
    case 'simulator': {
      const fix = 'Start it, or give it the version of the others.';
      return problem('warning', { code: 'RB964', where: event.endpoint, message: `${event.reason}.`, fix });
    }
    case 'problem':
      return { level: 'warning', text: event.message };
    case 'bug':
      return { level: 'error', text: `${event.sessionId}: a bug in this program\n${event.stack}` };
    case 'ended':
      return info(`Ended after ${event.sessions} ${event.sessions === 1 ? 'session' : 'sessions'}.`);
  }
}

function sessionLine(event: SessionEvent): HostLine {
  const { sessionId, cell, status, errorCode, errorMessage } = event;
  const parts = [`reset ${short(event.resetSeconds)}`, `steps ${short(event.stepsSeconds)}`];
  const times = `${short(event.seconds)} s (${parts.join(', ')}, policy ${short(event.policySeconds)})`;
  const steps = event.steps === null ? '' : `, ${event.steps} ${event.steps === 1 ? 'step' : 'steps'}`;
  const error = errorCode === null ? '' : `, ${errorCode}: ${errorMessage ?? ''}`;
  return info(`${named(sessionId, cell)} ${status} in ${times}${steps}${error}${on(event.simulator)}`);
}

function named(sessionId: string, cell: string | null): string {
  return cell === null ? sessionId : `${sessionId} (${cell})`;
}

function on(simulator: string | null): string {
  return simulator === null ? '' : ` on ${simulator}`;
}

function short(seconds: number): string {
  return seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1);
}

function info(text: string): HostLine {
  return { level: 'info', text };
}

function problem(level: 'warning' | 'error', about: Omit<Problem, 'severity'>): HostLine {
  const severity = level === 'error' ? 'fatal' : 'warning';
  return { level, text: problemLine({ ...about, severity }) };
}
