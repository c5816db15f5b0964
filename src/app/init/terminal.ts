import { createInterface } from 'node:readline/promises';
import type { Ask } from './answers.ts';

/** Asks at the terminal of this process; null where standard input is none. */
export function terminal(signal: AbortSignal): Ask | null {
  if (!process.stdin.isTTY) return null;
  return async (question, offered) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await lines.question(`${question} [${offered}]: `, { signal });
      return answer.trim() === '' ? offered : answer;
    } finally {
      lines.close();
    }
  };
}
