import { afterAll, beforeAll, expect, test } from 'vitest';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { subjects } from '../../shared/contracts/subjects.ts';

let rig: FleetRig;
let loud: TestProbe;
let quiet: TestProbe;
/** Documents that the controller read because of probes. */
const asked: string[] = [];

beforeAll(async () => {
  rig = await FleetRig.start();
  await rig.controller();
  [loud, quiet] = [await rig.probe('loud'), await rig.probe('quiet')];
  await Promise.all([loud.follow(), quiet.follow()]);
  await until(() => {
    for (const probe of [loud, quiet]) probe.beat();
    return [loud, quiet].every((probe) => rig.fleet.liveness.track(idOf(probe)) !== null);
  });
  rig.onCommand = (command) => {
    const filter = command['filter'] as { _id?: unknown } | undefined;
    if (command['find'] === 'assignment_heads' && typeof filter?._id === 'string') asked.push(filter._id);
  };
});
afterAll(() => rig.stop());

const exceeded = (subject: string): number =>
  rig.fleet.rates.find((rate) => rate.subject === subject)?.exceeded ?? NaN;

const idOf = (probe: TestProbe): string => probe.enrolment?.probe_id ?? '';

test('5,000 beats with a wrong revision cause one read and one reminder every few seconds', async () => {
  asked.length = 0;
  for (let at = 0; at < 5000; at += 1) loud.beat({ revision: 77 });
  await until(() => exceeded('beat') >= 4500, { what: 'beats are ignored' });
  expect(asked.filter((id) => id === idOf(loud)).length).toBeLessThan(10);
  await rig.fleet.placement.apply(Array.from({ length: 20 }, (_, at) => monitorDoc(at)));
  await until(() => quiet.held.size > 0 && quiet.held.size + loud.held.size === 20);
});

test('a probe that missed a change is reminded even while another one floods beats', async () => {
  await quiet.nats.flush();
  quiet.held.clear();
  quiet.revision = 0;
  for (let at = 0; at < 2000; at += 1) loud.beat({ revision: 77 });
  await until(() => {
    quiet.beat();
    return quiet.held.size > 0;
  }, { what: 'it is reminded and synchronizes' });
});

test('1,000 requests at once get a few responses; meanwhile another probe gets its response', async () => {
  const { region_id: region, probe_id: id } = loud.enrolment as { region_id: string; probe_id: string };
  let responses = 0;
  const inbox = `_INBOX_${id}.flood`;
  loud.nats.subscribe(inbox, { callback: () => (responses += 1) });
  const request = JSON.stringify({ v: 1, revision: 0, after: null });
  for (let at = 0; at < 1000; at += 1) loud.nats.publish(subjects.sync(region, id), request, { reply: inbox });
  expect((await quiet.requestSync({ v: 1, revision: 0, after: null })).changes.length).toBe(quiet.held.size);
  await until(() => rig.fleet.responder.dropped + responses === 1000, { what: 'each gets a response or is dropped' });
  expect(responses).toBeGreaterThan(0);
  expect(rig.fleet.responder.dropped).toBeGreaterThan(500);
  // The flooding probe itself is served again at once.
  expect((await loud.requestSync({ v: 1, revision: 0, after: null })).changes.length).toBe(loud.held.size);
});

test('requests beyond a probe\'s rate are ignored', async () => {
  const { region_id: region, probe_id: id } = loud.enrolment as { region_id: string; probe_id: string };
  for (let at = 0; at < 4000; at += 1) loud.nats.publish(subjects.sync(region, id), '{}');
  await until(() => exceeded('sync') > 500);
  expect((await quiet.requestSync({ v: 1, revision: 0, after: null })).reset).toBe(true);
});
