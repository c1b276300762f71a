import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { signatureOf } from '../../controller/destinations/channels/webhook.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

type CreateReceiver = (
  secret: string, onEvent: (event: { event: string; incident: { id: string } | null }) => void,
) => Server;

const SECRET = 'whsec_of-the-example';
const dir = mkdtempSync(join(tmpdir(), 'fw-example-'));
const events: { event: string; incident: { id: string } | null }[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const [, code] = /```js\n([\s\S]*?)```/.exec(page) as unknown as [string, string];
  const file = join(dir, 'receiver.mjs');
  writeFileSync(file, code);
  const { createReceiver } = (await import(pathToFileURL(file).href)) as { createReceiver: CreateReceiver };
  server = createReceiver(SECRET, (event) => events.push(event));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

async function post(body: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

function headersOf(
  body: string, change: { timestamp?: number; secret?: string } = {},
): Record<string, string> {
  const { timestamp = Date.now(), secret = SECRET } = change;
  return {
    'x-service-timestamp': String(timestamp), 'x-service-delivery': newId(Date.now()),
    'x-service-signature': signatureOf(secret, timestamp, Buffer.from(body)),
  };
}

test('the receiver in the documentation accepts our deliveries', async () => {
  const rig = await DeliveryRig.start();
  const { alerts } = rig.controller();
  await rig.destination(url, { secret: SECRET });
  const incidentId = newId(1);
  await alerts.fanOut(
    alertOf(monitorConfig({ name: 'Müller & Söhne' }), incidentId, { startedAt: Date.now() }),
  );
  await until(async () => (await rig.log(incidentId))[0]?.status === 'delivered');
  expect(events).toEqual([
    expect.objectContaining({ event: 'monitor.down', incident: expect.objectContaining({ id: incidentId }) }),
  ]);
  await rig.stop();
});

test('it rejects a replay, a changed body, another secret, a missing signature and a wrong timestamp', async () => {
  const before = events.length;
  const body = JSON.stringify({ event: 'monitor.up', incident: null });
  const headers = headersOf(body);
  expect(await post(body, headers)).toBe(204);
  expect(await post(body, headers)).toBe(401);
  expect(await post(body, { ...headers, 'x-service-delivery': newId(Date.now()) })).toBe(401);
  expect(await post(`${body} `, headersOf(body))).toBe(401);
  expect(await post(body, headersOf(body, { secret: 'whsec_other' }))).toBe(401);
  expect(await post(body, { ...headersOf(body), 'x-service-signature': '' })).toBe(401);
  expect(await post(body, { ...headersOf(body), 'x-service-timestamp': String(Date.now() + 1) })).toBe(401);
  expect(await post(body, headersOf(body, { timestamp: Date.now() - 6 * 60_000 }))).toBe(401);
  expect(await post(body, headersOf(body, { timestamp: Date.now() + 6 * 60_000 }))).toBe(401);
  expect(await post(body, headersOf(body, { timestamp: Number.NaN }))).toBe(401);
  expect(events.length).toBe(before + 1);
});

test('it rejects a recorded delivery that is replayed later', async () => {
  const recorder = await startReceiver();
  const rig = await DeliveryRig.start();
  const { alerts } = rig.controller();
  await rig.destination(recorder.url, { secret: SECRET });
  rig.clock.warp(-10 * 60_000);
  await alerts.fanOut(alertOf(monitorConfig(), newId(1), { startedAt: rig.clock.now() }));
  const { headers, body } = await until(() => recorder.requests[0]);
  const names = ['x-service-timestamp', 'x-service-delivery', 'x-service-signature'];
  expect(
    await post(body.toString('utf8'), Object.fromEntries(names.map((name) => [name, String(headers[name])]))),
  ).toBe(401);
  await rig.stop();
  await recorder.close();
});
