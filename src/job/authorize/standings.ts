import type { Standing } from '../../qualification/standing.ts';
import { keptQualifications } from '../runs/keep-qualification.ts';

/**
 * How every pair and suite that was ever qualified on this host stands, as `lookedAt` sees it. Reads files; changes
 * nothing.
 * @param about only those of this pair; null: all.
 */
export async function qualificationStandings(
  workspace: string,
  about: Pick<Standing, 'target' | 'skillruntime'> | null = null,
): Promise<Standing[]> {
  const { kept } = await keptQualifications(workspace);
  if (kept.length === 0) return [];
  // Loaded here: it can verify whole bundles, and most hosts have nothing for it.
  const { lookedAt } = await import('./looked-at.ts');
  return lookedAt(workspace, kept, about);
}
