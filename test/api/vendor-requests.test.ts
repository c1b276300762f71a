import { afterAll, describe, expect, test } from 'vitest';
import type { AlertDetails } from '../../controller/destinations/channels/alert.ts';
import { recipientsOf } from '../../controller/delivery/delivery-rules.ts';
import { channelOf, type DestinationType } from '../../controller/destinations/channels/registry.ts';
import { AlertSender, destinationOf, down, HOSTILE, named } from '../helpers/vendor-alerts.ts';
import { startVendor, VENDORS } from '../helpers/vendor-recorder.ts';

const { started_at: at } = down.incident;
const up: AlertDetails = { ...down, event: 'monitor.up', incident: { id: 'i1', started_at: at, resolved_at: at + 252_000 }, error: null };
const probe: AlertDetails = {
  ...down, event: 'probe.offline', monitor: null, incident: null, error: null,
  probe: { id: 'p1', name: 'rack 2', since: at, reason: 'It has been silent' },
};
const diagnosed = (summary: string): AlertDetails => (
  { ...down, incident: { ...down.incident, diagnosis: { classification: 'path', summary } } }
);
const ALERTS: [string, AlertDetails][] = [
  ['an outage', down], ['a recovery', up], ['a probe', probe], ['a hostile name', named(HOSTILE)],
  ['a certificate', { ...down, event: 'monitor.ssl_expiring', incident: null, error: null, expiry: { expires_at: at + 864e5 } as never }],
  ...['&', '<', '"', '\\', '😀', '_', '@', 'ß', '\u0001'].map((one): [string, AlertDetails] => (
    [`3,000 times ${JSON.stringify(one)}`, named(`x${one.repeat(3000)}`)]
  )),
  ['long and hostile texts', named(HOSTILE.repeat(30))],
  ['a hostile diagnosis', diagnosed(HOSTILE.repeat(30))],
];

const sender = new AlertSender();
const send = sender.send.bind(sender);
afterAll(() => sender.close());

describe.each(Object.entries(VENDORS))('%s', (name, vendor) => {
  const type = name as DestinationType;
  const open = async () => {
    const started = await startVendor(vendor);
    return { ...started, destination: destinationOf(type, vendor.config(started.receiver.url)) };
  };

  test('accepts its config', () => {
    expect(channelOf(type).config.safeParse(vendor.config('https://vendor.example')).error).toBeUndefined();
  });

  test('receives requests within its documented shape and limits', async () => {
    const { receiver, violations, bodies, destination } = await open();
    for (const [what, alert] of ALERTS) {
      const outcomes = await send(destination, alert);
      expect(violations, what).toEqual([]);
      expect(outcomes.map(({ kind }) => kind), what).toEqual(outcomes.map(() => 'sent'));
      for (const body of bodies().slice(-1)) {
        for (const text of vendor.texts(body)) expect(text, what).not.toMatch(vendor.forbidden);
      }
    }
    await receiver.close();
  });

  test('gets the essentials of an alert that is too long', async () => {
    const { receiver, destination } = await open();
    await send(destination, named('Shop', 'e'.repeat(5000)));
    const text = decodeURIComponent(receiver.requests[0]?.body.toString().replaceAll('+', ' ') ?? '');
    expect(text).toContain('Shop');
    expect(text).toMatch(/https:\/\/watch\.example\/(api\/incidents\/|acknowledge\?token=)/);
    await receiver.close();
  });

  test('gets the diagnosis of an outage', async () => {
    const { receiver, destination } = await open();
    await send(destination, diagnosed('Only from Osaka: path breaks on the way; reachable from Paris.'));
    const text = decodeURIComponent(receiver.requests[0]?.body.toString().replaceAll('+', ' ') ?? '');
    expect(text).toMatch(/Only from Osaka: path breaks on the way; reachable from Paris/);
    await receiver.close();
  });

  test('is asked again after its Retry-After, and shows no secret in an error', async () => {
    const { receiver, destination } = await open();
    for (const [value, min, max] of [['120', 120_000, 120_000], [new Date(Date.now() + 300_000).toUTCString(), 290_000, 300_000], ['', 0, 0]] as const) {
      receiver.behave((response) => void response.writeHead(429, value === '' ? {} : { 'retry-after': value }).end());
      for (const outcome of await send(destination, down)) {
        expect(outcome).toMatchObject({ kind: 'retry', status: 429 });
        if (outcome.kind !== 'retry') continue;
        expect(outcome.retryAfterMs).toBeGreaterThanOrEqual(min);
        expect(outcome.retryAfterMs).toBeLessThanOrEqual(max);
      }
    }
    const outcomes = [];
    for (const behaviour of [400, 401, 404, 500, 'close'] as const) {
      receiver.behave(behaviour);
      outcomes.push(...await send(destination, down));
    }
    await receiver.close();
    outcomes.push(...await send(destination, down));
    expect(outcomes.map(({ kind }) => kind)).not.toContain('sent');
    for (const secret of vendor.secrets) expect(JSON.stringify([outcomes, recipientsOf(destination)])).not.toContain(secret);
  });
});

test('PagerDuty gets an incident under one key: trigger, acknowledge, resolve', async () => {
  const { receiver, bodies } = await startVendor(VENDORS.pagerduty);
  const destination = destinationOf('pagerduty', VENDORS.pagerduty.config(receiver.url));
  const resolved = { ...up, incident: { ...down.incident, resolved_at: at } };
  for (const alert of [down, { ...down, event: 'incident.acknowledged', opened_by: 'monitor.down' } as const, resolved]) await send(destination, alert);
  expect((bodies() as Record<string, unknown>[]).map(({ event_action, dedup_key }) => [event_action, dedup_key])).toEqual(
    ['trigger', 'acknowledge', 'resolve'].map((action) => [action, down.incident.id]),
  );
  await receiver.close();
});

test('Alertmanager gets the same labels when an incident opens and ends', async () => {
  const { receiver, bodies } = await startVendor(VENDORS.alertmanager);
  const destination = destinationOf('alertmanager', VENDORS.alertmanager.config(receiver.url));
  const incident = { ...down.incident, resolved_at: at + 1000 };
  for (const alert of [
    down, { ...down, event: 'monitor.up', incident } as const,
    { ...down, event: 'incident.resolved', opened_by: 'monitor.down', incident } as const,
  ]) await send(destination, alert);
  const [open, ended, endedByHand] = (bodies() as { labels: object; endsAt: string }[][]).flat();
  expect(ended?.labels).toEqual(open?.labels);
  expect(endedByHand?.labels).toEqual(open?.labels);
  expect(Date.parse(open?.endsAt ?? '')).toBeGreaterThan(Date.now() + 600_000);
  expect([ended?.endsAt, endedByHand?.endsAt]).toEqual([new Date(at + 1000).toISOString(), new Date(at + 1000).toISOString()]);
  await receiver.close();
});
