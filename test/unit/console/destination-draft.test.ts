import { describe, expect, test } from 'vitest';
import {
  byUrgency, draftOf, inputOf, newDraft, targetOf, type Destination,
} from '../../../controller/console/app/destinations/draft.ts';

const HEALTH: Destination['health'] = {
  status: 'healthy', failing_since: null, consecutive_failures: 0, failing_recipients: [], suppressed_recipients: [],
  last_error: null, last_delivered_at: null,
};
const destination = (change: object): Destination => ({
  id: 'd', organization_id: 'o', project_id: 'p', created_by: 'u', name: 'A', enabled: true, is_default: false,
  events: ['monitor.down'], health: HEALTH, created_at: '', updated_at: '', type: 'email', config: { to: ['a@x.example'] },
  ...change,
}) as Destination;

describe('destination form', () => {
  test.each([
    { type: 'email', config: { to: ['a@x.example', 'b@x.example'] } },
    { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T/B/x' } },
    { type: 'webhook', config: { url: 'https://x.example/', method: 'PUT', headers: { 'X-Time': '10:30', Accept: '*/*' } } },
  ])('returns a $type as it was read', (settings) => {
    expect(inputOf(draftOf(destination(settings)))).toEqual({
      name: 'A', enabled: true, is_default: false, events: ['monitor.down'], ...settings,
    });
  });

  test('accepts addresses and headers as people paste them', () => {
    expect(inputOf({ ...newDraft('email'), recipients: ' a@x.example, b@x.example;\n c@x.example\n' }).config)
      .toEqual({ to: ['a@x.example', 'b@x.example', 'c@x.example'] });
    expect(inputOf({ ...newDraft('webhook'), url: ' https://x.example ', headers: '\n A : b:c \nno colon\n' }).config)
      .toEqual({ url: 'https://x.example', method: 'POST', headers: { A: 'b:c', 'no colon': '' } });
  });
});

test('destinations with problems come first, disabled ones last', () => {
  const all = [
    destination({ name: 'off', enabled: false }), destination({ name: 'b' }), destination({ name: 'a' }),
    destination({ name: 'stopped', health: { ...HEALTH, suppressed_recipients: ['a@x.example'] } }),
    destination({ name: 'failing', health: { ...HEALTH, status: 'failing' } }),
  ];
  expect(all.toSorted(byUrgency).map(({ name }) => name)).toEqual(['failing', 'stopped', 'a', 'b', 'off']);
});

test('a list does not show the path of a Slack URL, which is a secret', () => {
  expect(targetOf(destination({ type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T/B/secret' } })))
    .toBe('hooks.slack.com');
});
