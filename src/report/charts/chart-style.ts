/**
 * Colours and fonts of every chart. They follow the reader's colour scheme, also when the file is shown as an image;
 * the ground is painted, because a page around the image may follow another scheme. Classes begin with `rb-`, so that
 * the same rules can stand in a page. Blue and orange are told apart with every kind of colour vision.
 */
export const CHART_STYLE = [
  '.rb-chart{--rb-ground:#fff;--rb-ink:#1b2330;--rb-soft:#5a6575;--rb-line:#e3e7ed;--rb-track:#eef1f5;--rb-bar:#2f6fb3;--rb-band:#2f6fb3;--rb-bad:#c2410c;--rb-mark:#8a5a00;--rb-whisker:#12293f;',
  'font-family:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px}',
  '@media (prefers-color-scheme:dark){.rb-chart{--rb-ground:#12161c;--rb-ink:#e6eaf0;--rb-soft:#9aa6b6;--rb-line:#29313c;--rb-track:#1e252e;--rb-bar:#5b9bdb;--rb-band:#5b9bdb;--rb-bad:#f28b55;--rb-mark:#e6b450;--rb-whisker:#dbe8f6}}',
  '.rb-ground{fill:var(--rb-ground)}',
  '.rb-heading{fill:var(--rb-ink);font-size:14px;font-weight:600}',
  '.rb-name,.rb-value{fill:var(--rb-ink)}',
  '.rb-value{font-variant-numeric:tabular-nums}',
  '.rb-strong{font-weight:600}',
  '.rb-note,.rb-tick{fill:var(--rb-soft);font-size:11px;font-variant-numeric:tabular-nums}',
  '.rb-rule{stroke:var(--rb-line);stroke-width:1}',
  '.rb-track{fill:var(--rb-track)}',
  '.rb-bar{fill:var(--rb-bar)}',
  '.rb-whisker{stroke:var(--rb-whisker);stroke-width:1.5;fill:none}',
  '.rb-baseline{stroke:var(--rb-ground);stroke-width:1.5;fill:var(--rb-mark)}',
  '.rb-expected{stroke:var(--rb-mark);stroke-width:1.5;stroke-dasharray:5 4}',
  '.rb-band{fill:var(--rb-band);fill-opacity:.16}',
  '.rb-path{stroke:var(--rb-bar);stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}',
  '.rb-lone{stroke:var(--rb-band);stroke-opacity:.35;stroke-width:3}',
  '.rb-dot{fill:var(--rb-bar);stroke:var(--rb-ground);stroke-width:1.5}',
  '.rb-dot-fail{fill:var(--rb-bad);stroke:var(--rb-ground);stroke-width:1.5}',
  '.rb-dot-open{fill:var(--rb-ground);stroke:var(--rb-bar);stroke-width:1.75}',
  '.rb-cross{stroke:var(--rb-bad);stroke-width:1.75;fill:none;stroke-linecap:round}',
  '.rb-ring{stroke:var(--rb-bad);stroke-width:1.5;fill:none}',
  '.rb-gap{fill:var(--rb-track)}',
  '.rb-baseline-line{stroke:var(--rb-mark);stroke-width:2.5;fill:none}',
  '.rb-end{stroke:var(--rb-bar);stroke-width:6;stroke-linecap:round;fill:none}',
  '.rb-spark .rb-path{stroke-width:1.5}',
].join('');
