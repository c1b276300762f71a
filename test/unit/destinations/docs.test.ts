import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { destinationForms } from '../../../controller/console/destination-forms.ts';
import { TEMPLATE_NAMES } from '../../../controller/destinations/channels/webhook-template.ts';
import { root } from '../../root.mjs';

const page = readFileSync(join(root, 'docs/destinations.md'), 'utf8');

/** The section of each type, from its schema. */
function generated(): string {
  return Object.entries(destinationForms()).map(([type, { label, help, fields }]) => [
    `### ${label}`, '', `\`type: ${type}\`. ${help}`, '', '| field | meaning |', '| --- | --- |',
    ...fields.map(({ name, label: title, help: hint, isRequired, kind }) => {
      const notes = [isRequired ? '' : 'Optional.', kind === 'list' ? 'A list.' : '', hint].filter(Boolean).join(' ');
      return `| \`${name}\` | ${title}${notes === '' ? '' : `. ${notes.replaceAll('|', '\\|')}`} |`;
    }), '',
  ].join('\n')).join('\n');
}

test('the page of destinations has the fields of every type', () => {
  const [, , types = ''] = /<!-- (types) -->\n\n([^]*?)\n<!-- end -->/.exec(page) ?? [];
  expect(types).toBe(generated());
});

test('the page of destinations names everything that templates can contain', () => {
  for (const name of TEMPLATE_NAMES) expect(page).toContain(`{{${name}}}`);
});
