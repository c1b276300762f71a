import { createHash } from 'node:crypto';
import { html } from '../../pages/html.ts';

/** Our own files that the page loads besides Swagger UI, by name. */
export const OWN_FILES = {
  'start.js': `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const shade = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', shade);
shade();
const reference = document.getElementById('reference');
// Labels that Swagger UI lacks for screen readers and keyboards.
const label = (selector, name, role) => {
  for (const one of reference.querySelectorAll(selector + ':not([aria-label])')) {
    one.setAttribute('aria-label', name(one));
    if (role) one.role = role;
  }
};
new MutationObserver(() => {
  for (const one of reference.querySelectorAll('h3, h4, h5')) one.setAttribute('aria-level', one.tagName[1] - 1);
  for (const one of reference.querySelectorAll('pre')) one.tabIndex = 0;
  label('.information-container', () => 'About this API', 'region');
  label('.filter-container', () => 'Operations', 'search');
  label('.modal-ux', () => 'Available authorizations', 'dialog');
  label('.close-modal', () => 'Close');
  // The aria-label of these buttons contradicts their visible text.
  for (const one of reference.querySelectorAll('.modal-btn')) one.removeAttribute('aria-label');
  label('.body-param__text', () => 'Request body');
  label('.operation-filter-input', (one) => one.placeholder);
  label('.expand-operation', (one) => one.closest('h3').dataset.tag);
}).observe(reference, { childList: true, subtree: true });
SwaggerUIBundle({
  url: 'openapi.json',
  domNode: reference,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
  // The highlighter's colors have too little contrast.
  syntaxHighlight: false,
  plugins: [{ wrapComponents: {
    // The only server is the page's own.
    ServersContainer: () => () => null,
    // Links within buttons can't be focused; the address shows what is open even without them.
    DeepLink: () => ({ text }) => text,
  } }],
  requestInterceptor(request) {
    const { headers } = request;
    // Requests without a credential entered on the page use the browser's session, if any.
    if (!('Authorization' in headers || 'X-API-Key' in headers)) headers['X-Farwatch-Session'] = 'cookie';
    return request;
  },
});
`,
  // Colors with a contrast of at least 4.5 to 1 where Swagger UI's have less.
  'own.css': `body { margin: 0; }
html.dark-mode { color-scheme: dark; }
.swagger-ui .version-stamp, .swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #35600a; }
html:not(.dark-mode) .swagger-ui :is(a, .info a, .info .url, .info .link) { color: #0b4f8a; }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .parameter__extension, .prop-format) { color: #565b66; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #17663f; color: #17663f; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #17663f; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel.cancel {
  border-color: #ffb4ab; color: #ffb4ab;
}
html.dark-mode .swagger-ui :is(a, .info a, .info .url, .info .link) { color: #9cccf8; }
html.dark-mode .swagger-ui :is(.header-col, .parameter__in, .prop-format) { color: #c9d1d9; }
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .btn.execute.execute { background: #1f5fa8; border-color: #1f5fa8; color: #fff; }
.swagger-ui .download-contents.download-contents { background: #565b66; color: #fff; }
.swagger-ui .opblock.opblock.opblock-get .opblock-summary-method { background: #1f5fa8; }
.swagger-ui .opblock.opblock.opblock-post .opblock-summary-method { background: #17663f; }
.swagger-ui .opblock.opblock.opblock-put .opblock-summary-method { background: #8a4b00; }
.swagger-ui .opblock.opblock.opblock-patch .opblock-summary-method { background: #0b6a5c; }
.swagger-ui .opblock.opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
`,
} as const;

/** No external hosts, inline scripts or styles: injected content can't use the reader's session. */
export const PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
  + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** A hash of all files that the page loads. `version` is Swagger UI's. */
export function filesVersion(version: string): string {
  return createHash('sha256').update(JSON.stringify([version, OWN_FILES])).digest('hex').slice(0, 16);
}

/** The API reference, rendered by Swagger UI. `files` is the path of its static files. */
export function referencePage(files: string): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Farwatch API</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${files}/styles/swagger-ui.css">
<link rel="stylesheet" href="${files}/styles/own.css"></head><body><div id="reference"></div>
<noscript><p>The reference needs JavaScript. Without it, read
<a href="/api/openapi.json">the OpenAPI document</a>.</p></noscript>
<script src="${files}/scripts/swagger-ui-bundle.js"></script>
<script src="${files}/scripts/start.js"></script></body></html>
`.text;
}
