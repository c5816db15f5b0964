import { stableJson } from '../../base/stable-json.ts';
import { encodeSegment } from '../../history/branch-segment.ts';
import type { ReportFile } from '../../job/publish/write-report.ts';
import { policyDotsSvg } from '../../report/charts/policy-dots.ts';
import { policiesPage } from '../../report/page/policies-page.ts';
import type { ComparisonOfSuites } from '../../report/policies/document.ts';
import { comparisonMarkdown, pairsCsv, policiesCsv } from '../../report/policies/tables.ts';

/** Every rendering of a comparison. Pure. */
export function comparisonFiles(comparison: ComparisonOfSuites): ReportFile[] {
  const plot = 'comparison.svg';
  const ofSuites = (comparison.suites ?? []).flatMap((table) => {
    const folder = encodeSegment(table.suite);
    return comparisonFiles(table).map(({ path, content }) => ({ path: `${folder}/${path}`, content }));
  });
  return [
    ...ofSuites,
    { path: 'comparison.html', content: policiesPage(comparison) },
    { path: 'comparison.md', content: comparisonMarkdown(comparison, plot) },
    { path: 'comparison.json', content: stableJson(comparison) },
    { path: plot, content: policyDotsSvg(comparison) },
    { path: 'policies.csv', content: policiesCsv(comparison) },
    { path: 'pairs.csv', content: pairsCsv(comparison) },
  ];
}
