import { toolFacts } from '../../platform/tool-facts.ts';
import { type Standing, standingsOf } from '../../qualification/standing.ts';
import { keptQualifications } from '../runs/keep-qualification.ts';

/** How every pair and suite that was ever qualified on this host stands. Reads files; changes nothing. */
export async function qualificationStandings(workspace: string): Promise<Standing[]> {
  const { kept } = await keptQualifications(workspace);
  return standingsOf(kept, await toolFacts());
}
