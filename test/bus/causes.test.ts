import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CauseDoc } from '../../controller/causes/cause.ts';
import type { IncidentDoc } from '../../controller/incidents/incident.ts';
import { incidentFromOpening } from '../../controller/incidents/outbox.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { programFile } from '../bundle.mjs';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { ProbeProcess } from './probe/probe-process.ts';

interface Alert {
  event: string;
  subject: string;
  monitor: { id: string };
  incident: { id: string; cause: { kind: string; value: string } | null };
}

interface Cause {
  kind: string;
  value: string;
  monitor_ids: string[];
  incident_ids: string[];
  ended_at: string | null;
}

/** A server with an address of its own, and its monitors. */
interface Server {
  target: Target;
  ids: string[];
}

const dir = mkdtempSync(join(tmpdir(), 'farwatch-causes-'));
const targets: Target[] = [];
let rig: ControllerRig;
let probe: ProbeProcess;
let grouped: Receiver;
let ungrouped: Receiver;

beforeAll(async () => {
  rig = await startControllerRig({ ALLOW_PRIVATE_DESTINATIONS: 'true' });
  [grouped, ungrouped] = await Promise.all([startReceiver(), startReceiver()]);
  for (const [{ url }, more] of [[grouped, { grouping: 'auto' }], [ungrouped, {}]] as const) {
    await rig.session.ok('POST', '/api/integrations', {
      name: 'Hook', type: 'webhook', is_default: true, config: { url }, ...more,
    });
  }
  const { enrolment_token: token } =
    await rig.session.ok<{ enrolment_token: string }>('POST', '/api/probes', { region_id: 'local', name: 'p' });
  probe = new ProbeProcess(await programFile('probe'), dir, ['--controller', rig.controller.url, '--token', token]);
  await probe.connected();
});
afterAll(async () => {
  await probe?.end('SIGKILL');
  await rig?.stop();
  await Promise.all([grouped, ungrouped, ...targets].map((each) => each?.close()));
  rmSync(dir, { recursive: true, force: true });
});

async function startServer(host: string, monitors: number): Promise<Server> {
  const target = await startTarget(host);
  targets.push(target);
  const ids = await Promise.all(Array.from({ length: monitors }, async (_, at) => {
    const check = at % 2 === 0
      ? { type: 'HTTP', target: `${target.url}/${at}` } : { type: 'TCP', target: `${host}:${target.port}` };
    const { monitor } = await rig.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: `${host} ${at}`, interval_seconds: 2, confirmation_policy: { retries: 1 }, ...check,
    });
    return monitor.id;
  }));
  for (const id of ids) await until(async () => await statusOf(id) === 'up', { what: `a monitor of ${host} is up` });
  return { target, ids };
}

async function statusOf(id: string): Promise<string> {
  const { monitor } = await rig.session.ok<{ monitor: { runtimeStatus: string } }>('GET', `/api/monitors/${id}`);
  return monitor.runtimeStatus;
}

const alertsTo = ({ requests }: Receiver, { ids }: Server) =>
  requests.map(({ body }) => JSON.parse(String(body)) as Alert).filter(({ monitor }) => ids.includes(monitor.id));
/** What the destination that groups received about a server, without what varies. */
const subjectsOf = (server: Server) =>
  alertsTo(grouped, server).map(({ subject }) => subject.replace(/ [0-9] — .*| after .*/, ''));
const haveArrived = (to: Receiver, server: Server, count: number) =>
  until(() => alertsTo(to, server).length >= count, { what: `${count} alerts` });

/** The incidents of these servers; resolves once nothing more is sent about them. */
async function settledIncidents(servers: Server[]): Promise<string[]> {
  for (const server of servers) await haveArrived(ungrouped, server, 2 * server.ids.length);
  const incidents = [...new Set(servers.flatMap((one) => alertsTo(ungrouped, one).map(({ incident }) => incident.id)))];
  for (const id of incidents) {
    await until(async () => {
      const pending = `/api/incidents/${id}/notifications?status=pending`;
      return (await rig.session.ok<{ notifications: unknown[] }>('GET', pending)).notifications.length === 0;
    }, { what: 'nothing is pending' });
  }
  return incidents;
}

const listCauses = async (status: string) =>
  (await rig.session.ok<{ causes: Cause[] }>('GET', `/api/causes?status=${status}`)).causes;

test('a server that dies is one first alert, one summary and one end; monitors of other servers alert by themselves', async () => {
  const server = await startServer('127.1.1.1', 4);
  const others = [await startServer('127.2.2.2', 1), await startServer('127.3.3.3', 2)];
  const all = [server, ...others];
  await Promise.all(all.map(({ target }) => target.refuse()));
  for (const one of all) await haveArrived(ungrouped, one, one.ids.length);
  await haveArrived(grouped, server, 2);
  const [open] = await listCauses('open');
  expect(open).toMatchObject({ kind: 'address', value: '127.1.1.1', ended_at: null });
  expect(open?.monitor_ids.toSorted()).toEqual(server.ids.toSorted());
  await Promise.all(all.map(({ target }) => target.listen()));
  await settledIncidents(all);
  expect(subjectsOf(server)).toEqual([
    '[DOWN] 127.1.1.1', '[DOWN] 4 monitors behind 127.1.1.1 are down', '[UP] 4 monitors behind 127.1.1.1 are back up',
  ]);
  expect(new Set(alertsTo(grouped, server).map(({ incident }) => incident.id)).size).toBe(1);
  for (const { ids } of others) {
    for (const id of ids) {
      const own = alertsTo(grouped, { ...server, ids: [id] });
      expect(own.map(({ event, incident }) => [event, incident.cause]))
        .toEqual([['monitor.down', null], ['monitor.up', null]]);
    }
  }
  expect(await listCauses('open')).toEqual([]);
});

test('two servers that die at once are two causes', async () => {
  const servers = [await startServer('127.4.4.4', 3), await startServer('127.5.5.5', 3)];
  await Promise.all(servers.map(({ target }) => target.refuse()));
  for (const server of servers) await haveArrived(grouped, server, 2);
  await Promise.all(servers.map(({ target }) => target.listen()));
  const incidents = await settledIncidents(servers);
  for (const [at, host] of ['127.4.4.4', '127.5.5.5'].entries()) {
    expect(subjectsOf(servers[at] as Server)).toEqual([
      `[DOWN] ${host}`, `[DOWN] 3 monitors behind ${host} are down`, `[UP] 3 monitors behind ${host} are back up`,
    ]);
  }
  const causes = (await listCauses('ended')).filter(({ incident_ids: [id = ''] }) => incidents.includes(id));
  expect(causes.map(({ value }) => value).toSorted()).toEqual(['127.4.4.4', '127.5.5.5']);
  expect(causes.flatMap(({ incident_ids }) => incident_ids).toSorted()).toEqual(incidents.toSorted());
});

test('a cause ends even if the controller died right after a person ended its last incident', async () => {
  const [causeId, from] = [randomUUID(), Date.now()];
  await rig.restart(async () => {
    const mongo = checkedMongo(rig.store.url);
    const { organization_id, project_id } = await mongo.db.collection<MonitorDoc>('monitors').findOne({}) as MonitorDoc;
    await mongo.db.collection<CauseDoc>('causes').insertOne({
      _id: causeId, organization_id, project_ids: [project_id], kind: 'address', value: '127.6.6.6',
      monitors_having: 3, started_at: from, ended_at: null,
    });
    const monitor = monitorConfig({ organization_id, project_id, monitor_id: randomUUID() });
    const opened = incidentFromOpening({
      id: randomUUID(), monitor, severity: 'major', type: 'timeout', error_message: 'Timeout',
      affected_regions: ['local'], failure_count: 2, started_at: from,
    }, from);
    await mongo.db.collection<IncidentDoc>('incidents').insertOne(
      { ...opened, cause_id: causeId, status: 'resolved', resolved_at: from + 1000, unjournaled: 0 },
    );
    await mongo.close();
  });
  const isEnded = async () => (await listCauses('ended')).some(({ value }) => value === '127.6.6.6');
  await until(isEnded, { what: 'the cause ends' });
});
