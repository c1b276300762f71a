import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { programFile } from '../../bundle.mjs';
import type { Loose } from '../../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../../helpers/controller-rig.ts';
import { until } from '../../helpers/until.ts';
import { ProbeProcess } from './probe-process.ts';

let bundle = '';
let rig: ControllerRig;
let dataDir = '';
const running: ProbeProcess[] = [];

beforeAll(async () => {
  bundle = await programFile('probe');
  rig = await startControllerRig();
  dataDir = mkdtempSync(join(tmpdir(), 'farwatch-probe-'));
});
afterEach(() => Promise.all(running.splice(0).map((probe) => probe.end('SIGKILL'))));
afterAll(async () => {
  await rig?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const keysPath = '/api/regions/local/enrolment-keys';
const createKey = (fields: object = {}) => rig.session.ok<Loose>('POST', keysPath, { name: 'rack', ...fields });
const usesOf = async (id: string): Promise<number> =>
  (await rig.session.ok<Loose>('GET', keysPath)).enrolment_keys.find((one: Loose) => one.id === id).uses;
const probes = async (): Promise<Loose[]> => (await rig.session.ok<Loose>('GET', '/api/probes')).probes;

function start(key: string): ProbeProcess {
  const probe = new ProbeProcess(
    bundle, dataDir, ['--controller', rig.controller.url], { FARWATCH_TOKEN: key },
  );
  running.push(probe);
  return probe;
}

/** The only probe, once it is online and not `former`. */
const online = (former?: string): Promise<string> => until(async () => {
  const [probe, ...others] = await probes();
  const isIt = probe?.status === 'online' && probe.id !== former && others.length === 0;
  return isIt && String(probe.id);
}, { what: `a probe other than ${former ?? 'none'} is online` });

const identity = (): Loose => JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));

test('a probe that was deleted enrols again by its key as a new one, and keeps checking', async () => {
  const { enrolment_key: { id }, key } = await createKey();
  const running = start(key);
  const first = await online();
  const monitor = { name: 'Shop', type: 'TCP', target: '127.0.0.1:9', interval_seconds: 60 };
  await rig.session.ok('POST', '/api/monitors', monitor);
  await until(async () => (await probes())[0]?.monitors === 1, { what: 'it runs the monitor' });
  await rig.session.ok('DELETE', `/api/probes/${first}`);
  const second = await online(first);
  expect(running.logged('this probe was deleted; enrolled again')).toMatchObject({ probe: first, successor: second });
  expect(identity().enrolment.probe_id).toBe(second);
  await until(async () => (await probes())[0]?.monitors === 1, { what: 'it runs the monitor again' });
  expect(await usesOf(id)).toBe(2);
  expect(await running.end()).toBe(0);

  const again = start(key);
  expect(await online()).toBe(second);
  expect(await usesOf(id)).toBe(2);
  await again.end();
});

test('a probe whose data was lost enrols by its key as a new one', async () => {
  const [{ id: former }] = await probes() as [Loose];
  await rig.session.ok('DELETE', `/api/probes/${former}`);
  rmSync(dataDir, { recursive: true });
  const { key } = await createKey();
  start(key);
  await online(former);
});

test('a probe stays refused while its key enrols nobody, and one that NATS refuses for a moment stays itself', async () => {
  const { enrolment_key: { id: keyId }, key } = await createKey();
  const [{ id: former }] = await probes() as [Loose];
  const running = start(key);
  expect(await online()).toBe(former);
  // NATS drops the user although the probe exists.
  await rig.nats.setUsers([]);
  await until(() => running.logged('not enrolled again'), { what: 'an attempt' });
  expect(running.logged('not enrolled again')).toMatchObject({ reason: 'The former probe still exists' });
  expect(await usesOf(keyId)).toBe(0);

  await rig.session.ok('DELETE', `${keysPath}/${keyId}`);
  await rig.session.ok('DELETE', `/api/probes/${former}`);
  await until(() => running.lines.some(({ reason }) => reason === 'The enrolment key is not valid'), { what: 'refused' });
  expect(await probes()).toEqual([]);
  expect(running.hasEnded).toBe(false);
});
