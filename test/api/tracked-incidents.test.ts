import { afterEach, beforeEach, expect, test } from 'vitest';
import { AlertRepeater } from '../../controller/delivery/alert-repeater.ts';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import { fanOutIncidentEvent } from '../../controller/delivery/incident-fan-out.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { incidentBody } from '../helpers/incident-app.ts';
import { makeApp } from '../helpers/make-app.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { newTenant } from '../helpers/tenants.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

const bodies = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()));
const delivered = (incidentId: string, count: number) => until(
  async () => (await rig.log(incidentId)).filter(({ status }) => status === 'delivered').length === count,
  { what: `${count} deliveries` },
);

async function openIncident(monitor = monitorConfig()) {
  const incidentId = newId(rig.clock.now());
  const startedAt = rig.clock.now();
  await rig.outbox.open({
    id: incidentId, monitor, severity: 'major', type: 'status_code', error_message: 'Status 503', affected_regions: ['eu'],
    failure_count: 2, started_at: startedAt,
  });
  return { incidentId, monitor, startedAt };
}

test('what people do to an incident reaches PagerDuty in order, and no destination that tracks no incidents', async () => {
  const controller = rig.controller();
  await rig.destination({ type: 'pagerduty', config: { routing_key: 'key', base_url: receiver.url } });
  const hook = await startReceiver();
  await rig.destination(hook.url);
  const { incidentId, monitor, startedAt } = await openIncident();
  await controller.alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
  await delivered(incidentId, 2);
  const { deliveries, queues, clock } = rig;
  const deps = { deliveries, queues, clock, notify: controller.service.wakeOwners };
  await fanOutIncidentEvent(deps, 'incident.acknowledged', { _id: incidentId, resolved_at: null });
  await fanOutIncidentEvent(deps, 'incident.acknowledged', { _id: incidentId, resolved_at: null });
  await delivered(incidentId, 3);
  await fanOutIncidentEvent(deps, 'incident.resolved', { _id: incidentId, resolved_at: clock.now() });
  await delivered(incidentId, 4);
  expect(bodies().map(({ event_action, dedup_key }) => [event_action, dedup_key]))
    .toEqual([['trigger', incidentId], ['acknowledge', incidentId], ['resolve', incidentId]]);
  expect(hook.requests).toHaveLength(1);
  await hook.close();
});

test('an acknowledgement reaches PagerDuty also after an outage that it got with a delay', async () => {
  const controller = rig.controller();
  const config = { routing_key: 'key', base_url: receiver.url };
  await rig.destination({ type: 'pagerduty', config }, { delay_minutes: 10 });
  const { incidentId, monitor, startedAt } = await openIncident();
  await controller.alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
  rig.clock.warp(10 * 60_000);
  await delivered(incidentId, 1);
  const incident = await rig.incidents.findById(incidentId);
  if (incident === null) throw new Error('the incident is gone');
  await rig.incidents.change(incident, { status: 'acknowledged', updated_at: rig.clock.now() }, []);
  const { deliveries, queues, clock } = rig;
  const deps = { deliveries, queues, clock, notify: controller.service.wakeOwners };
  await fanOutIncidentEvent(deps, 'incident.acknowledged', { _id: incidentId, resolved_at: null });
  await until(async () => (await rig.log(incidentId)).every(({ status }) => status !== 'pending'));
  expect(bodies().map(({ event_action }) => event_action)).toEqual(['trigger', 'acknowledge']);
});

test('an alert stays in Alertmanager for as long as its incident is open', async () => {
  const controller = rig.controller();
  const destination = await rig.destination({ type: 'alertmanager', config: { base_url: receiver.url } });
  const { incidentId, monitor, startedAt } = await openIncident();
  await controller.alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
  await delivered(incidentId, 1);
  const { destinations, deliveries, incidents, clock } = rig;
  const { attempt: { sending } } = rig.stores();
  const log = createLog('test', 'silent');
  let isOwner = true;
  const repeater = new AlertRepeater({
    destinations, deliveries, incidents, sending, clock, log, shardMap, ownsShard: () => isOwner,
  });
  rig.clock.warp(30 * 60_000);
  await repeater.repeat();
  const [[first], [again]] = bodies() as [[{ labels: object; endsAt: string }], [{ labels: object; endsAt: string }]];
  expect(again.labels).toEqual(first.labels);
  expect(Date.parse(again.endsAt) - Date.parse(first.endsAt)).toBeGreaterThanOrEqual(30 * 60_000);
  isOwner = false;
  await repeater.repeat();
  isOwner = true;
  await destinations.change(destination, { enabled: false, updated_at: 1 });
  await repeater.repeat();
  await destinations.change({ ...destination, revision: 2 }, { enabled: true, updated_at: 2 });
  await incidents.markResolved(incidentId, { resolved_at: clock.now(), updated_at: clock.now() });
  await repeater.repeat();
  expect(receiver.requests).toHaveLength(2);
  expect(await rig.log(incidentId)).toHaveLength(1);
});

test('a 429 counts as an attempt, and the next one waits for the requested time', async () => {
  const { alerts } = rig.controller();
  await rig.destination({ type: 'discord', config: { url: `${receiver.url}/secret-path` } });
  receiver.behave((response) => void response.writeHead(429, { 'retry-after': '900' }).end());
  const { incidentId, monitor, startedAt } = await openIncident();
  await alerts.fanOut(alertOf(monitor, incidentId, { startedAt }));
  await until(async () => (await rig.log(incidentId))[0]?.attempts === 1, { what: 'an attempt' });
  const [entry] = await rig.log(incidentId);
  expect(entry).toMatchObject({ status: 'pending', recipient: 'hook', channel: 'discord' });
  expect((entry?.next_attempt_at ?? 0) - rig.clock.now()).toBeGreaterThan(890_000);
  expect(JSON.stringify(entry)).not.toContain('secret-path');
  receiver.behave(204);
  rig.clock.warp(1_200_000);
  await delivered(incidentId, 1);
  expect((await rig.log(incidentId))[0]).toMatchObject({ retry_count: 1 });
});

test('acknowledging and resolving through the API reach PagerDuty, and closing afterwards does not', async () => {
  const app = await makeApp({ env: { ALLOW_PRIVATE_DESTINATIONS: 'true' } });
  const { owner: { client }, organizationId: organization_id, projectId: project_id } = await newTenant(app);
  const { integration } = (await client.post('/api/integrations', {
    name: 'Pager', type: 'pagerduty', config: { routing_key: 'key', base_url: receiver.url },
  })).data;
  const incident = (await client.post('/api/incidents', incidentBody())).data.incident;
  const alert = alertOf(monitorConfig(), incident.id, { startedAt: 1 });
  const queued = { organization_id, project_id, destination_id: integration.id, incident_id: incident.id, channel: 'pagerduty' };
  await app.db.collection<DeliveryDoc>('deliveries').insertOne({
    ...queued, _id: newId(1), alert: { ...alert, monitor: { id: 'm', name: 'Shop', target: 'x', type: 'HTTP' }, regions: [] },
    monitor_id: 'm', recipient: 'Pager', status: 'delivered', attempts: 1, retry_count: 0, max_retries: 5, next_attempt_at: null,
    claim: null, queued_at: 1, delivered_at: 1, last_retry_at: null, error_message: null, created_at: 1, updated_at: 1,
  } as unknown as DeliveryDoc);
  for (const status of ['acknowledged', 'resolved', 'closed']) {
    const response = await client.put(`/api/incidents/${incident.id}/status`, { status });
    expect(response.status, response.text).toBe(200);
  }
  const log = await app.db.collection<DeliveryDoc>('deliveries').find({ incident_id: incident.id }).sort({ queued_at: 1 }).toArray();
  expect(log.map((one) => one.alert.event)).toEqual(['monitor.down', 'incident.acknowledged', 'incident.resolved']);
  await app.close();
});
