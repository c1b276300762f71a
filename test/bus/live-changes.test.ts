import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { EventClient } from '../helpers/event-client.ts';
import { until } from '../helpers/until.ts';

interface Listener {
  session: ApiSession;
  stream: EventClient;
}

let rig: ControllerRig;
let ours: Listener;
let strangers: Listener;
/** In another project of the same organization. */
let beside: EventClient;

beforeAll(async () => {
  rig = await startControllerRig({ REGISTRATION: 'open' });
  const listen = async (session: ApiSession): Promise<Listener> => {
    const { key } = await session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'reader' });
    return { session, stream: await EventClient.open(rig.controller.url, { 'x-api-key': key }) };
  };
  ours = await listen(rig.session);
  const stranger = await new ApiSession(rig.controller.url).begin('stranger@example.com');
  const client = await MongoClient.connect(rig.store.url);
  await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
  await client.close();
  strangers = await listen(stranger);
  const { key } = await rig.session.ok<{ key: string }>('POST', '/api/auth/api-keys', { name: 'beside' });
  const { project } = await rig.session.ok<{ project: { id: string } }>('POST', '/api/projects', { name: 'Beside' });
  beside = await EventClient.open(rig.controller.url, { 'x-api-key': key, 'x-project-id': project.id });
  expect([ours.stream.status, strangers.stream.status, beside.status]).toEqual([200, 200, 200]);
});
afterAll(async () => {
  for (const stream of [ours?.stream, strangers?.stream, beside]) stream?.close();
  await rig?.stop();
});

async function create({ session }: Listener, name: string): Promise<string> {
  const body = { name, type: 'HTTP', target: 'http://127.0.0.1:9/', interval_seconds: 300 };
  return (await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', body)).monitor.id;
}

/** Number of such events that the client has received. */
function countEvents({ events }: EventClient, kind: string, id: string): number {
  return events.filter(({ event, data }) =>
    event === kind && (data['group_id'] === id || (data['monitor_ids'] as string[] | undefined)?.includes(id))).length;
}

/** Makes a change, and waits until our stream has one more event about it. */
async function changeAndWait(kind: string, id: string, change: () => Promise<unknown>): Promise<void> {
  const before = countEvents(ours.stream, kind, id);
  await change();
  await until(() => countEvents(ours.stream, kind, id) > before, { what: `${kind} arrives` });
}

test('publishes created, changed and deleted monitors to their own project only', async () => {
  const { session } = ours;
  const id = await create(ours, 'Shop');
  const shown = async () => (await session.ok<{ monitors: { name: string; status: string; tags: string[] }[] }>(
    'GET', `/api/monitors/overview?ids=${id}`,
  )).monitors[0];
  await until(() => countEvents(ours.stream, 'monitor.changed', id) > 0, { what: 'the event of the new monitor arrives' });
  await changeAndWait('monitor.changed', id, () => session.ok('PUT', `/api/monitors/${id}`, { name: 'Store' }));
  expect(await shown()).toMatchObject({ name: 'Store' });
  const bulk = (change: object) => session.ok('POST', '/api/monitors/bulk', { monitor_ids: [id], ...change });
  await changeAndWait('monitor.changed', id, () => bulk({ action: 'pause' }));
  await changeAndWait('monitor.changed', id, () => bulk({ action: 'tag', tags: ['night'] }));
  expect(await shown()).toMatchObject({ status: 'paused', tags: ['night'] });
  await changeAndWait('monitor.deleted', id, () => session.ok('DELETE', `/api/monitors/${id}`));
  // An event leaked to the strangers' stream would come before theirs.
  const theirs = await create(strangers, 'Theirs');
  await until(() => countEvents(strangers.stream, 'monitor.changed', theirs) > 0, { what: 'their own event arrives' });
  expect(strangers.stream.raw).not.toContain(id);
  expect(beside.raw).not.toContain(id);
  expect(ours.stream.raw).not.toContain(theirs);
});

test('publishes created, renamed, moved and deleted groups to their own project only', async () => {
  const { session } = ours;
  const make = async (name: string) => (await session.ok<{ id: string }>('POST', '/api/groups', { name })).id;
  const [outer, inner] = [await make('Outer'), await make('Inner')];
  await until(() => countEvents(ours.stream, 'group.changed', inner) > 0, { what: 'the event of the new group arrives' });
  await changeAndWait('group.changed', inner, () => session.ok('PUT', `/api/groups/${inner}`, { name: 'Core' }));
  await changeAndWait('group.changed', inner, () => session.ok('PUT', `/api/groups/${inner}`, { parent_group_id: outer }));
  const id = await create(ours, 'Shop');
  await changeAndWait('monitor.changed', id, () => session.ok('POST', `/api/monitors/bulk`, {
    monitor_ids: [id], action: 'move', group_id: inner,
  }));
  const before = countEvents(ours.stream, 'monitor.changed', id);
  await changeAndWait('group.deleted', inner, () => session.ok('DELETE', `/api/groups/${inner}`));
  await until(() => countEvents(ours.stream, 'monitor.changed', id) > before, { what: 'the events of its monitors arrive' });
  const theirs = await create(strangers, 'Theirs too');
  await until(() => countEvents(strangers.stream, 'monitor.changed', theirs) > 0, { what: 'their own event arrives' });
  for (const text of [strangers.stream.raw, beside.raw]) {
    expect(text).not.toContain(inner);
    expect(text).not.toContain(id);
  }
});
