import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { programFile } from '../bundle.mjs';
import { ProbeProcess } from './probe/probe-process.ts';

const REGIONS = ['Osaka', 'Paris'];

const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-examined-'));
let rig: ControllerRig;
let target: Receiver;
const probes: ProbeProcess[] = [];

beforeAll(async () => {
  const bundle = await programFile('probe');
  [rig, target] = await Promise.all([startControllerRig(), startReceiver()]);
  for (const name of REGIONS) {
    const id = name.toLowerCase();
    await rig.session.ok('POST', '/api/regions', { id, name, city: name, country: 'X' });
    const { enrolment_token: token } = await rig.session.ok<Loose>('POST', '/api/probes', { region_id: id, name });
    const args = ['--controller', rig.controller.url, '--token', token];
    probes.push(new ProbeProcess(bundle, join(dataDir, id), args));
  }
  await Promise.all(probes.map((probe) => probe.connected()));
});
afterAll(async () => {
  await Promise.all(probes.map((probe) => probe.end()));
  await rig?.stop();
  await target?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function createMonitor(name: string): Promise<string> {
  const { monitor: { id } } = await rig.session.ok<Loose>('POST', '/api/monitors', {
    name, type: 'HTTP', target: target.url, interval_seconds: 1,
    monitoring_regions: REGIONS.map((one) => one.toLowerCase()),
    confirmation_policy: { regions: 'all', retries: 0 },
  });
  await until(async () => {
    const { regions } = await rig.session.ok<Loose>('GET', `/api/monitors/${id}/regions`);
    return regions.length === REGIONS.length && regions.every(({ status }: Loose) => status === 'up');
  }, { what: 'both regions see it up' });
  return id;
}

async function diagnosisOf(id: string): Promise<Loose> {
  const found = await until(async () => {
    const { incidents: [incident] } = await rig.session.ok<Loose>('GET', `/api/incidents?check_id=${id}`);
    return incident?.diagnosis ? incident : null;
  }, { what: 'the incident has a diagnosis' });
  return (await rig.session.ok<Loose>('GET', `/api/incidents/${found.id}/diagnosis`)).diagnosis;
}

test('a target that responds badly to two probes is at fault, and so is one that refuses both', async () => {
  const bad = await createMonitor('Bad');
  const healthy = await rig.session.ok<Loose>('POST', `/api/monitors/${bad}/diagnose`);
  expect(healthy.diagnosis).toMatchObject({
    classification: 'unknown', summary: expect.stringMatching(/responds from .*, so there is nothing to diagnose/),
  });
  target.behave(503);
  expect(await diagnosisOf(bad)).toMatchObject({
    classification: 'target', summary: expect.stringMatching(/^The target accepts connections from .*503\.$/),
    regions: [{ sees: 'down', families: { ipv4: 'up' } }, { sees: 'down', families: { ipv4: 'up' } }],
  });
  target.behave(200);
  const dead = await createMonitor('Dead');
  await target.close();
  expect(await diagnosisOf(dead)).toMatchObject({
    classification: 'target',
    summary: expect.stringMatching(/^The target refuses connections from (Osaka and Paris|Paris and Osaka)\.$/),
    regions: [{ sees: 'down', families: { ipv4: 'down', ipv6: 'absent' } }, { sees: 'down' }],
  });
}, 60_000);
