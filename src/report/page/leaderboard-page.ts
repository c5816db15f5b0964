import type { Comparison } from '../policies/document.ts';
import { foreign, type Html, html } from './html.ts';
import { policiesSection, staticPage } from './policies-page.ts';
import { timeText } from './time-text.ts';

/** A board as the page shows it. */
export interface ShownBoard {
  readonly name: string;
  readonly comparison: Comparison;
  /** When its newest run was accepted; ISO 8601, UTC. */
  readonly changedAt: string;
  /** Runs of its policies that a later one took the place of. */
  readonly earlierRuns: number;
}

/** leaderboard.html: every board in one file that needs no script. Equal input gives equal bytes. */
export function leaderboardPage(repository: string, boards: readonly ShownBoard[]): string {
  const body = html`<a class="skip" href="#main">Skip to the boards</a>
<header class="top"><div class="wrap">
<p class="kind">Leaderboard</p>
<h1>${foreign(repository)}</h1>
<p class="about">The run of a policy that was accepted last stands for it. Boards are never compared with each other: their cells or protocols differ.</p>
</div></header>
<main id="main" class="wrap">
${boards.map(boardSection)}
</main>
<footer class="wrap"><p><a href="index.html">History</a> · <a href="leaderboard.json">leaderboard.json</a></p></footer>`;
  const description = `Policies compared on the same cells by ${repository}.`;
  return staticPage({ title: `Leaderboard · ${repository}`, description, body });
}

function boardSection({ name, comparison, changedAt, earlierRuns }: ShownBoard): Html {
  const { suite, policies } = comparison;
  const earlier = earlierRuns === 0 ? '' : ` Earlier runs that are not shown: ${earlierRuns}.`;
  return html`<section><h2>${foreign(name)}</h2>
<p class="about">${foreign(suite)}, ${policies.length} ${policies.length === 1 ? 'policy' : 'policies'}, changed <time datetime="${changedAt}">${timeText(changedAt)}</time>.${earlier}</p>
${policiesSection(comparison)}</section>`;
}
