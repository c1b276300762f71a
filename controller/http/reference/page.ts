import { html, type Html } from '../../pages/html.ts';
import { fieldsHtml, proseHtml, ruleHtml, tableHtml, typeHtml } from './fields.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

/** Every text has a contrast of at least 4.5 to 1 in both colour schemes. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #16202c; --line: #c3ccd6; --soft: #4a5867; --accent: #0b4f8a; --shade: #f2f5f8; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #10161d; --text: #e8edf3; --line: #3a4755; --soft: #a9b7c6; --accent: #9cccf8; --shade: #19222c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
h2 { margin: 2.5rem 0 .5rem; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere; }
summary span:last-child { color: var(--soft); }
details { border-bottom: 1px solid var(--line); }
details[open] { padding-bottom: 1rem; }
details[open] > summary { background: var(--shade); }
code { font: .875rem/1.4 ui-monospace, monospace; overflow-wrap: break-word; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
td:first-child { min-width: 9rem; }
td:last-child { min-width: 11rem; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
@media (max-width: 40rem) {
  thead { position: absolute; left: -99rem; }
  tr, td { display: block; }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
}
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .25rem .5rem; background: var(--ground); }
`;

/** The reference as one page, without scripts or other hosts. */
export function referencePage({ info, paths, components }: OpenApiDocument): string {
  const sections = new Map<string, Html[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? 'Other';
      sections.set(tag, [...(sections.get(tag) ?? []), operationHtml(method.toUpperCase(), path, operation)]);
    }
  }
  // The link target is inside the details, so that a browser opens them to show it.
  const resources = Object.entries(components.schemas).map(([name, schema]) => {
    return html`<details><summary><code>${name}</code></summary>
<div id="schema-${name}">${fieldsHtml(schema)}</div></details>`;
  });
  sections.set('Resources', resources);
  const links = [...sections.keys()].map((tag) => html`<li><a href="#${slug(tag)}">${tag}</a></li>`);
  const head = html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title><style>`;
  const body = html`</style></head><body>
<a class="skip" href="#reference">Skip to the reference</a><header><h1>${info.title} API</h1>
<p>${info.description} As an OpenAPI document: <a href="/api/openapi.json">/api/openapi.json</a>.</p></header>
<nav aria-label="Sections"><ul>${links}</ul></nav><main id="reference">
${[...sections].map(([title, entries]) => sectionHtml(title, entries))}</main></body></html>`;
  return `${head.text}${REFERENCE_STYLE}${body.text}`;
}

function sectionHtml(title: string, entries: Html[]): Html {
  const id = slug(title);
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${entries}</section>
`;
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function operationHtml(method: string, path: string, operation: Operation): Html {
  const { summary, description, security, parameters = [], requestBody, responses } = operation;
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  const credentials = schemes.map((name) => (name === 'session' ? 'session token' : 'API key')).join(' or ');
  const bodies = Object.values(requestBody?.content ?? {});
  return html`<details><summary><span class="method">${method}</span> <code>${path}</code>
<span>${summary}</span></summary>${[
    ...(description === undefined ? [] : [html`<p>${proseHtml(description)}</p>`]),
    html`<p>Credential: ${credentials === '' ? 'none' : credentials}.</p>`,
    ...(parameters.length === 0 ? [] : [parametersHtml(parameters)]),
    ...bodies.map(({ schema }) => html`<h3>Request body</h3>${fieldsHtml(schema)}`),
    ...Object.entries(responses).map(([status, response]) => responseHtml(status, response)),
  ]}</details>`;
}

function parametersHtml(parameters: NonNullable<Operation['parameters']>): Html {
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => {
    const rule = ruleHtml({ ...schema, description });
    return [
      html`<code>${name}</code>`, html`${place}${required ? ', required' : ''}`, typeHtml(schema), rule,
    ];
  });
  return html`<h3>Parameters</h3>${tableHtml(['Parameter', 'Where', 'Type', 'Rule'], rows)}`;
}

function responseHtml(status: string, { description, content }: Operation['responses'][string]): Html {
  const isError = Number(status) >= 400;
  const schemas = isError ? [] : Object.values(content).map(({ schema }) => fieldsHtml(schema));
  return html`<h3>${status}</h3><p>${proseHtml(description)}</p>${schemas}`;
}
