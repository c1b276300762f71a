import { createHash } from 'node:crypto';
import type { AppError } from '../errors/app-error.ts';
import { html, type Html } from './html.ts';
import { localizeMailPage } from './mail-page-texts.ts';

/** All text has a contrast of at least 7 to 1 in both color schemes. */
const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #16202c; --line: #5b6b7d; --accent: #0b4f8a; --on-accent: #fff; --bad: #8a1515; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #10161d; --text: #e8edf3; --line: #93a4b6; --accent: #9cccf8; --on-accent: #0a1520; --bad: #ffb4ab; }
}
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--ground); color: var(--text); font: 1.0625rem/1.55 system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, select { width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem; }
[type=checkbox] { width: auto; }
[type=checkbox] + label { display: inline; }
button { margin-top: 1.5rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hint { margin: .25rem 0 0; font-size: .9375rem; }
.bad { color: var(--bad); font-weight: 600; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface Page {
  html: string;
  headers: Record<string, string>;
}

/** The request properties that the reader's language depends on. */
export interface PageReader {
  /** Accept-Language header as sent. */
  languages: string | undefined;
  /** The query string. */
  query: string;
}

/**
 * A page without scripts or external resources. It sends no referrer, because its URL may contain a token.
 * `language` is the language of the content.
 */
export function renderPage(title: string, content: Html, language = 'en'): Page {
  const head = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><title>${title} · Farwatch</title><style>`;
  const body = html`</style></head>
<body><main><h1>${title}</h1>
${content}
</main></body></html>
`;
  const policy =
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; `;
  return {
    html: `${head.text}${STYLE}${body.text}`,
    headers: {
      'Content-Security-Policy': `${policy}base-uri 'none'`, 'Referrer-Policy': 'no-referrer',
      'Content-Language': language,
    },
  };
}

/** Renders an API error as a page, in the reader's language if it is supported. */
export function viewError(error: AppError, { languages }: PageReader): Page {
  const { language, texts } = localizeMailPage(languages);
  // VALIDATION_ERROR lists its issues in `details`; other errors have no path.
  const [issue] = Array.isArray(error.details) ? error.details as { path?: unknown[] }[] : [];
  const text = isServerError(error) ? texts.serverError
    : texts.faults?.[String(issue?.path?.[0] ?? error.code)]
      ?? error.message.replace(/^Validation failed: (?:[a-z_.]+: )?/, '');
  return renderPage(texts.failed, html`<p role="alert">${text}</p>`, language);
}

export function isServerError({ code }: AppError): boolean {
  return code === 'INTERNAL_ERROR' || code === 'SERVICE_UNAVAILABLE';
}
