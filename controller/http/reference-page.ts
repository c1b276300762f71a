import type { Reference } from './reference.ts';

type Operation = Reference['paths'][string][string];

export const REFERENCE_STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
summary { cursor: pointer; padding: .4rem 0; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8886; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884; }
details { border-bottom: 1px solid #8884; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
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
  const sections = [...byTag].map(([tag, operations]) => `<section><h2>${escape(tag)}</h2>${operations.join('')}</section>`);
  const title = escape(reference.info.title);
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<title>${title} API</title><style>${REFERENCE_STYLE}</style></head><body><main><h1>${title} API</h1>`,
    `<p>${escape(reference.info.description)} The same as data: <a href="/api/openapi.json">/api/openapi.json</a>.</p>`,
    ...sections,
    '</main></body></html>',
  ].join('\n');
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const credentials = operation.security.flatMap((scheme) => Object.keys(scheme));
  const needs = credentials.length === 0 ? 'no credential' : credentials.map((name) => (name === 'session' ? 'session token' : 'API key')).join(' or ');
  return [
    `<details><summary><span class="method">${method}</span> <code>${escape(path)}</code> ${escape(operation.summary)}</summary>`,
    operation.description === undefined ? '' : `<p>${escape(operation.description)}</p>`,
    `<p>Needs: ${needs}.</p>`,
    parametersHtml(operation),
    ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => `<h3>Request body</h3><pre>${escape(JSON.stringify(schema, null, 2))}</pre>`),
    ...Object.entries(operation.responses).map(([status, response]) => responseHtml(status, response)),
    '</details>',
  ].join('');
}

function parametersHtml(operation: Operation): string {
  if (operation.parameters.length === 0) return '';
  const rows = operation.parameters.map(
    (parameter) =>
      `<tr><td><code>${escape(parameter.name)}</code></td><td>${escape(parameter.in)}${parameter.required ? ', required' : ''}</td>` +
      `<td>${escape(parameter.description ?? '')} <code>${escape(JSON.stringify(parameter.schema))}</code></td></tr>`,
  );
  return `<h3>Parameters</h3><table><tr><th>Name</th><th>Where</th><th>Rule</th></tr>${rows.join('')}</table>`;
}

function responseHtml(status: string, response: Operation['responses'][string]): string {
  const isError = Number(status) >= 400;
  const schemas = isError ? [] : Object.values(response.content).map(({ schema }) => `<pre>${escape(JSON.stringify(schema, null, 2))}</pre>`);
  const text = escape(response.description).replace(/`([A-Z_]+)`/g, '<code>$1</code>');
  return `<h3>${status}</h3><p>${text}</p>${schemas.join('')}`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
