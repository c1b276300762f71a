import { escapeHtml as escape } from '../../pages/html.ts';
import { fieldsHtml, proseHtml, ruleHtml, tableHtml, typeHtml } from './fields.ts';
import type { Reference } from './reference.ts';

/** The section of what several operations answer with. */
const SCHEMAS = 'Resources';

type Operation = Reference['paths'][string][string];

/** Colours keep a contrast of at least 4.5 to 1 in both schemes. */
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

/** The reference as one page without scripts and without outside hosts. */
export function referencePage(reference: Reference): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(reference.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? 'Other';
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationHtml(method.toUpperCase(), path, operation)]);
    }
  }
  const sections = [...byTag].map(([tag, operations]) => sectionHtml(tag, operations));
  // The name to jump to is inside, so that a browser opens what it jumps to.
  const schemas = Object.entries(reference.components.schemas).map(
    ([name, schema]) => `<details><summary><code>${escape(name)}</code></summary><div id="schema-${escape(name)}">${fieldsHtml(schema)}</div></details>`,
  );
  const links = [...byTag.keys(), SCHEMAS].map((tag) => `<li><a href="#${slug(tag)}">${escape(tag)}</a></li>`);
  const title = escape(reference.info.title);
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<title>${title} API</title><style>${REFERENCE_STYLE}</style></head><body>`,
    `<a class="skip" href="#reference">Skip to the reference</a><header><h1>${title} API</h1>`,
    `<p>${escape(reference.info.description)} As an OpenAPI document: <a href="/api/openapi.json">/api/openapi.json</a>.</p></header>`,
    `<nav aria-label="Sections"><ul>${links.join('')}</ul></nav><main id="reference">`,
    ...sections,
    sectionHtml(SCHEMAS, schemas),
    '</main></body></html>',
  ].join('\n');
}

function sectionHtml(title: string, entries: string[]): string {
  return `<section id="${slug(title)}" aria-labelledby="${slug(title)}-title"><h2 id="${slug(title)}-title">${escape(title)}</h2>${entries.join('')}</section>`;
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const credentials = operation.security.flatMap((scheme) => Object.keys(scheme));
  const needs = credentials.length === 0 ? 'none' : credentials.map((name) => (name === 'session' ? 'session token' : 'API key')).join(' or ');
  return [
    `<details><summary><span class="method">${method}</span> <code>${escape(path)}</code> <span>${escape(operation.summary)}</span></summary>`,
    operation.description === undefined ? '' : `<p>${proseHtml(operation.description)}</p>`,
    `<p>Credential: ${needs}.</p>`,
    parametersHtml(operation),
    ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => `<h3>Request body</h3>${fieldsHtml(schema)}`),
    ...Object.entries(operation.responses).map(([status, response]) => responseHtml(status, response)),
    '</details>',
  ].join('');
}

function parametersHtml(operation: Operation): string {
  if (operation.parameters.length === 0) return '';
  const rows = operation.parameters.map((parameter) => {
    const rule = [proseHtml(parameter.description ?? ''), ruleHtml(parameter.schema)].filter((text) => text !== '').join('<br>');
    return (
      `<td><code>${escape(parameter.name)}</code></td><td>${escape(parameter.in)}${parameter.required ? ', required' : ''}</td>` +
      `<td>${typeHtml(parameter.schema)}</td><td>${rule}</td>`
    );
  });
  return `<h3>Parameters</h3>${tableHtml(['Parameter', 'Where', 'Type', 'Rule'], rows)}`;
}

function responseHtml(status: string, response: Operation['responses'][string]): string {
  const isError = Number(status) >= 400;
  const schemas = isError ? [] : Object.values(response.content).map(({ schema }) => fieldsHtml(schema));
  return `<h3>${status}</h3><p>${proseHtml(response.description)}</p>${schemas.join('')}`;
}
