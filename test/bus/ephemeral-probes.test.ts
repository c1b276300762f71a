import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

const clock = new WarpClock();
let rig: ControllerRig;
let beats: NodeJS.Timeout;
let key = '';
const probes: TestProbe[] = [];
const quiet = new Set<TestProbe>();

beforeAll(async () => {
  rig = await startControllerRig({}, undefined, undefined, { clock });
  const made = await rig.session.ok<Loose>('POST', '/api/regions/local/enrolment-keys', {
    name: 'pods', is_ephemeral: true, name_prefix: 'pod',
  });
  key = made.key;
  probes.push(await rig.probe('steady'));
  beats = setInterval(() => {
    for (const probe of probes) if (!quiet.has(probe)) probe.beat({ sent_at: clock.now() });
  }, 250);
});
afterAll(async () => {
  clearInterval(beats);
  await Promise.all(probes.map((probe) => probe.stop()));
  await rig?.stop();
});

async function enrol(): Promise<TestProbe> {
  const probe = new TestProbe();
  probe.enrolment = await rig.session.ok<EnrolResponse>('POST', '/api/probes/enrol', probe.request(key));
  await probe.connect();
  await probe.follow();
  probes.push(probe);
  await until(async () => (await statusOf(probe)) === 'online', { what: 'online' });
  return probe;
}

const statusOf = async (probe: TestProbe): Promise<string> =>
  (await rig.session.call('GET', `/api/probes/${probe.enrolment?.probe_id}`)).data?.['probe']?.['status'] ?? 'deleted';

/** Time passes, in steps too short for the controller to seem blocked or a beating probe dead. */
const passUntil = (isMet: () => Promise<boolean> | boolean, what: string, everyMs = 150) => until(async () => {
  if (await isMet()) return true;
  clock.warp(2000);
  return false;
}, { what, everyMs });
/** The same while no probe beats. */
const passQuickly = (isMet: () => boolean, what: string) => passUntil(isMet, what, 20);

test('a probe of an ephemeral key is deleted after a clean stop, and its monitors move before that', async () => {
  const steady = probes[0] as TestProbe;
  await steady.follow();
  const leaver = await enrol();
  for (let at = 0; at < 12; at += 1) {
    const monitor = { name: `m${at}`, type: 'TCP', target: `192.0.2.1:${at + 1}`, interval_seconds: 60 };
    await rig.session.ok('POST', '/api/monitors', monitor);
  }
  await passUntil(() => leaver.held.size > 0 && leaver.held.size + steady.held.size === 12, 'both have monitors');
  quiet.add(leaver);
  leaver.beat({ sent_at: clock.now(), leaving: true });
  await until(() => steady.held.size === 12, { what: 'its monitors move' });
  expect(await statusOf(leaver)).toBe('offline');
  await passUntil(async () => (await statusOf(leaver)) === 'deleted', 'deleted');
  await until(() => leaver.nats.isClosed(), { what: 'disconnected' });
});

test('a probe of an ephemeral key is deleted after 10 minutes of silence, one of a token never', async () => {
  const [steady, silent, returning] = [probes[0] as TestProbe, await enrol(), await enrol()];
  for (const probe of [steady, silent, returning]) quiet.add(probe);
  const silentSince = clock.now();
  await passQuickly(() => clock.now() - silentSince > 570_000, '9.5 minutes');
  expect(await statusOf(silent)).toBe('offline');
  quiet.delete(returning);
  await passUntil(async () => (await statusOf(silent)) === 'deleted', 'deleted');
  expect(clock.now() - silentSince).toBeGreaterThan(600_000);
  await until(async () => (await statusOf(returning)) === 'online', { what: 'online again' });
  quiet.add(returning);
  await passQuickly(() => clock.now() - silentSince > 660_000, '11 minutes');
  expect(await statusOf(steady)).toBe('offline');
});
