import { expect, test } from 'vitest';
import { renderTemplate, TEMPLATE_NAMES } from '../../../controller/destinations/channels/webhook-template.ts';
import { webhookPayload } from '../../../controller/destinations/channels/webhook.ts';
import { down } from '../../helpers/vendor-alerts.ts';

const probe = { id: 'p1', name: 'rack 2', since: 1, reason: 'silent' };
const cause = { id: 'c1', kind: 'address' as const, value: '192.0.2.7' };
const diagnosis = { classification: 'path', summary: 'Only from Osaka: path breaks.' };
const incident = down.incident && { ...down.incident, cause, diagnosis };
const payload = webhookPayload({ ...down, incident, probe }, 1_700_000_000_000, 'https://watch.example');

test('templates can contain every field of the payload', () => {
  const namesOf = (value: unknown, path: string): string[] => (
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => namesOf(inner, `${path}.${name}`)) : [path.slice(1)]
  );
  const names = namesOf(payload, '');
  expect(names.toSorted()).toEqual(TEMPLATE_NAMES.toSorted());
});

test('a rendered template of a JSON document is one, whatever the texts contain', () => {
  for (const name of ['"', '\\', '\n', '\u2028', '\ud83d', '😀', '{{event}}', '","x":"y']) {
    const hostile = { ...payload, monitor: { ...payload.monitor, name } };
    const text = renderTemplate('{"a": "{{monitor.name}}", "b": {{ incident.resolved_at }}}', hostile);
    expect(JSON.parse(text)).toEqual({ a: name, b: null });
  }
});
