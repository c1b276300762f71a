import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { WarpClock } from '../helpers/warp-clock.ts';

const NAMES = ['one', 'two', 'three', 'four'] as const;
type Name = (typeof NAMES)[number];
const PROBE_EVENTS = ['probe.offline', 'probe.online', 'probe.quarantined', 'probe.released'];

const clock = new WarpClock();
let rig: ControllerRig;
let receiver: Receiver;
let beats: NodeJS.Timeout;
const probes = {} as Record<Name, TestProbe>;
const silent = new Set<Name>();
/** The epochs whose beats alternate under the identity of probe two. */
let lives = ['a'];
let turn = 0;

/** Three are in a region of the operator's organization; the fourth is in a shared region, so it is the operator's too. */
beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' }, undefined, undefined, { clock });
  receiver = await startReceiver();
  await rig.session.ok('POST', '/api/regions', { id: 'oslo', name: 'Oslo', city: 'Oslo', country: 'NO' });
  for (const name of NAMES) {
    const region = name === 'four' ? 'local' : 'oslo';
    probes[name] = await rig.probe(name, { session: rig.session, region });
  }
  const to = (events: string[]) => rig.session.ok<Loose>('POST', '/api/integrations', {
    name: events[0], type: 'webhook', config: { url: `${receiver.url}/${events.length}` }, events,
  });
  await to(PROBE_EVENTS);
  await to(['monitor.down', 'monitor.up', 'monitor.region_degraded']);
  beats = setInterval(() => {
    turn += 1;
    for (const name of NAMES.filter((one) => !silent.has(one))) {
      const epoch = name === 'two' ? lives[turn % lives.length] as string : 'a';
      probes[name].beat({ sent_at: clock.now(), epoch });
    }
  }, 250);
  for (const name of NAMES) await is(name, 'online');
});
afterAll(async () => {
  clearInterval(beats);
  await rig?.stop();
  await receiver?.close();
});

const is = (name: Name, status: string) => until(async () => {
  const id = probes[name].enrolment?.probe_id;
  return (await rig.session.ok<Loose>('GET', `/api/probes/${id}`)).probe.status === status;
}, { what: `${name} is ${status}` });

const notices = (): Loose[] => receiver.requests.map(({ body }) => JSON.parse(String(body)));
const summaries = () => notices().map(({ event, probe }) => `${event} ${probe.name}`);

/** Advances time, in steps too short for a live probe to count as dead, until the operator has received `count` notices. */
const receiveNotices = (count: number) => until(() => {
  if (summaries().length < count) clock.warp(2000);
  return summaries().length >= count;
}, { what: `${count} notices`, everyMs: 150 });

test('an operator who opted in is notified when a probe falls silent or is quarantined, and when that ends', async () => {
  silent.add('one');
  await receiveNotices(1);
  expect(notices()[0]).toMatchObject({
    event: 'probe.offline', monitor: null, incident: null,
    probe: { name: 'one', region: 'oslo', reason: 'No beat for more than 15 seconds' },
  });
  // A restart repeats no notice.
  await rig.restart(async () => undefined);
  silent.delete('one');
  await receiveNotices(2);

  lives = ['a', 'b'];
  await receiveNotices(3);
  expect(notices()[2]?.['probe'].reason).toMatch(/^Two processes use this identity/);
  lives = ['b'];
  await receiveNotices(4);

  // More than half at once: more likely the controllers' network.
  for (const name of ['one', 'two', 'three'] as const) silent.add(name);
  const goneAt = clock.now();
  await until(() => {
    clock.warp(2000);
    return clock.now() - goneAt > 120_000;
  }, { what: 'two minutes', everyMs: 150 });
  silent.clear();
  for (const name of NAMES) await is(name, 'online');
  silent.add('four');
  await receiveNotices(5);
  expect(summaries()).toEqual([
    'probe.offline one', 'probe.online one', 'probe.quarantined two', 'probe.released two', 'probe.offline four',
  ]);
  expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(new Set(['/4']));
});
