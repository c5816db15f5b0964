import { createHash } from 'node:crypto';
import { type Html, html, trusted } from './html.ts';

interface Page {
  readonly title: string;
  readonly description: string;
  /** Colour of the little picture in the browser's tab, `#rrggbb`. */
  readonly tint: string;
  readonly style: string;
  /** Null: the page needs none, and no browser would run one. */
  readonly script: string | null;
  readonly body: Html;
}

/**
 * A whole HTML document that asks nothing of any network: style and script are inside and named by their hashes, so
 * that a browser runs these and no others, whatever foreign text the page shows.
 */
export function htmlPage({ title, description, tint, style, script, body }: Page): Html {
  const policy = [
    "default-src 'none'",
    `style-src ${sourceHash(style)}`,
    `script-src ${script === null ? "'none'" : sourceHash(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${tabPicture(tint)}">
<style>${trusted(style)}</style>
</head>
<body>
${body}
${script === null ? null : html`<script>${trusted(script)}</script>`}
</body>
</html>
`;
}

function sourceHash(source: string): string {
  return `'sha256-${createHash('sha256').update(source, 'utf8').digest('base64')}'`;
}

/** Three bars in the verdict's colour. Without a picture of its own a page on a server would ask for one. */
function tabPicture(tint: string): string {
  const colour = encodeURIComponent(tint);
  return `data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath fill=%22${colour}%22 d=%22M1 9h4v6H1zm5-4h4v10H6zm5-4h4v14h-4z%22/%3E%3C/svg%3E`;
}

/**
 * A value as JSON inside a script element: no character in it can end the element, begin a comment, or break a line
 * of script.
 */
export function jsonScript(id: string, value: unknown): Html {
  const json = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return html`<script type="application/json" id="${id}">${trusted(json)}</script>`;
}
