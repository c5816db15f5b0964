import { stableJson } from '../../base/stable-json.ts';
import type { ReportFile } from '../../job/publish/write-report.ts';
import { policyDotsSvg } from '../../report/charts/policy-dots.ts';
import { policiesPage } from '../../report/page/policies-page.ts';
import type { Comparison } from '../../report/policies/document.ts';
import { comparisonMarkdown, pairsCsv, policiesCsv } from '../../report/policies/tables.ts';

/** Every rendering of a comparison. Pure. */
export function comparisonFiles(comparison: Comparison): ReportFile[] {
  const plot = 'comparison.svg';
  return [
    { path: 'comparison.html', content: policiesPage(comparison) },
    { path: 'comparison.md', content: comparisonMarkdown(comparison, plot) },
    { path: 'comparison.json', content: stableJson(comparison) },
    { path: plot, content: policyDotsSvg(comparison) },
    { path: 'policies.csv', content: policiesCsv(comparison) },
    { path: 'pairs.csv', content: pairsCsv(comparison) },
  ];
}
