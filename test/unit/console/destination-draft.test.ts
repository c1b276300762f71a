import { describe, expect, test } from 'vitest';
import {
  byUrgency, draftOf, inputOf, newDraft, secretsToReenter, targetOf, type Destination, type Kind,
} from '../../../controller/console/app/destinations/draft.ts';
import german from '../../../controller/console/app/texts/de/destination-fields.ts';
import { destinationForms } from '../../../controller/console/destination-forms.ts';

const forms = destinationForms();

const HEALTH: Destination['health'] = {
  status: 'healthy', failing_since: null, consecutive_failures: 0, failing_recipients: [], suppressed_recipients: [],
  last_error: null, last_delivered_at: null,
};
const CONDITIONS: Pick<Destination, 'filter' | 'hours' | 'delay_minutes' | 'reminder_minutes'> = {
  filter: { tags: ['shop', 'eu'], severities: ['critical'] }, delay_minutes: 10, reminder_minutes: null,
  hours: { timezone: 'Europe/Berlin', days: [1, 2], from: '08:00', to: '18:00', outside: 'drop' },
};
const destination = (change: object): Destination => ({
  id: 'd', organization_id: 'o', project_id: 'p', created_by: 'u', name: 'A', enabled: true, is_default: false,
  events: ['monitor.down'], ...CONDITIONS, health: HEALTH, created_at: '', updated_at: '', type: 'email', config: { to: ['a@x.example'] },
  ...change,
}) as Destination;

describe('destination form', () => {
  test.each([
    { type: 'email', config: { to: ['a@x.example', 'b@x.example'] } },
    { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/services/T/B/x' } },
    {
      type: 'webhook', config: {
        url: 'https://x.example/', method: 'PUT', headers: { 'X-Time': '10:30', Accept: '*/*' },
        template: { content_type: 'text/plain', body: '{{event}}\n' },
      },
    },
    { type: 'teams', config: { url: 'https://prod.westeurope.logic.azure.com/***' } },
    { type: 'telegram', config: { bot_token: '***', chat_id: '-100123', thread_id: 7, base_url: 'https://bots.example' } },
    { type: 'twilio', config: { account_sid: 'AC1', auth_token: '***', from: '+1555', to: ['+15551234567', '+15557654321'], base_url: null } },
    { type: 'apprise', config: { base_url: 'https://apprise.example', urls: ['***', 'mailto://x'] } },
  ])('returns a $type as it was read', (settings) => {
    const form = forms[settings.type as Kind];
    expect(inputOf(draftOf(destination(settings), form), form)).toEqual({
      name: 'A', enabled: true, is_default: false, events: ['monitor.down'], ...CONDITIONS, ...settings,
    });
  });

  test('sends null for optional fields without a value, which removes them', () => {
    const { config } = inputOf(newDraft('ntfy', forms.ntfy), forms.ntfy);
    expect(config).toEqual({ topic: '', base_url: null, token: null, priority: null });
    expect(inputOf(newDraft('webhook', forms.webhook), forms.webhook).config)
      .toEqual({ url: '', method: 'POST', headers: {}, template: null });
  });

  test('has a label for each field in both languages', () => {
    for (const [type, { help, fields }] of Object.entries(forms)) {
      expect(help, type).not.toBe('');
      expect(german[`${type} help`], type).toBeDefined();
      for (const { name, label, help: hint } of fields) {
        expect(label, `${type}.${name}`).not.toBe(name);
        expect(german[`${type}.${name}`], `${type}.${name}`).toBeDefined();
        if (hint !== '') expect(german[`${type}.${name} help`], `${type}.${name}`).toBeDefined();
      }
    }
    const names = Object.entries(forms).flatMap(([type, { fields }]) => [type, ...fields.map(({ name }) => `${type}.${name}`)]);
    expect(Object.keys(german).filter((key) => !names.includes(key.replace(/ help$/, '')))).toEqual([]);
  });

  test('accepts addresses and headers as people paste them', () => {
    const email = { ...newDraft('email', forms.email), values: { to: ' a@x.example, b@x.example;\n c@x.example\n' } };
    expect(inputOf(email, forms.email).config)
      .toEqual({ to: ['a@x.example', 'b@x.example', 'c@x.example'] });
    const values = { url: ' https://x.example ', method: 'POST', headers: '\n A : b:c \nno colon\n' };
    expect(inputOf({ ...newDraft('webhook', forms.webhook), values }, forms.webhook).config)
      .toEqual({ url: 'https://x.example', method: 'POST', headers: { A: 'b:c', 'no colon': '' }, template: null });
  });
});

test('masked secrets must be entered again once their address has changed', () => {
  const form = forms.apprise;
  const saved = { ...newDraft('apprise', form), values: { base_url: 'https://a.example/x', urls: '***\n***' } };
  const withValues = (values: object) => ({ ...saved, values: { ...saved.values, ...values } });
  expect(secretsToReenter(saved, withValues({ base_url: 'https://A.example/y' }), form)).toEqual([]);
  expect(secretsToReenter(saved, withValues({ base_url: 'https://b.example/x' }), form)).toEqual(['urls']);
  expect(secretsToReenter(saved, withValues({ base_url: 'http://a.example/x', urls: 'json://new\n***' }), form)).toEqual(['urls']);
  expect(secretsToReenter(saved, withValues({ base_url: 'https://b.example', urls: 'json://new' }), form)).toEqual([]);
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
