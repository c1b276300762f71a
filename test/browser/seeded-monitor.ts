import { evidenceOf } from '../../controller/evidence/evidence.ts';
import { EvidenceStore } from '../../controller/evidence/store.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { HourStore } from '../../controller/results/hours/hour-store.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { rollupOf } from '../../controller/results/hours/rollup.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { MongoStatusHistory } from '../../controller/results/writing/status-history-store.ts';
import { newId } from '../../shared/ids.ts';
import { evidenceMessage } from '../helpers/evidence.ts';
import { addRegion, type TestApp } from '../helpers/make-app.ts';
import type { Tenant } from '../helpers/tenants.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const REGIONS = [
  { id: 'paris', name: 'Paris', city: 'Paris', country: 'FR', lat: 48.9, lon: 2.4 },
  { id: 'dallas', name: 'Dallas', city: 'Dallas', country: 'US', lat: 32.8, lon: -96.8 },
  { id: 'osaka', name: 'Osaka', city: 'Osaka', country: 'JP', lat: 34.7, lon: 135.5 },
] as const;
const FAILURE = { type: 'status_code', layer: 'response', message: 'Expected 200 to 299, got 503' } as const;

export interface SeededMonitor {
  id: string;
  incident: string;
  /** When the outage began, Unix ms. */
  downAt: number;
}

/**
 * A monitor that three regions check each minute, down in two of them for the last ten minutes, with the
 * results of two days, earlier days, evidence, an incident and its past states.
 */
export async function seedMonitor(app: TestApp, tenant: Tenant, now: number): Promise<SeededMonitor> {
  for (const { id, ...region } of REGIONS) await addRegion(app, id, region);
  const client = tenant.owner.client.with({ 'x-project-id': tenant.projectId });
  const body = {
    name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, tags: ['checkout'],
    monitoring_regions: REGIONS.map(({ id }) => id),
  };
  const { id } = (await client.post('/api/monitors', body)).data.monitor;
  const downAt = Math.floor(now / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
  const incident = (await client.post('/api/incidents', {
    check_id: id, severity: 'critical', type: 'status_code', error_message: FAILURE.message,
    affected_regions: ['paris', 'dallas'], started_at: new Date(downAt).toISOString(),
  })).data.incident.id;
  await writeResults(app, id, now, downAt);
  await writeStates(app, tenant, { id, incident, downAt });
  const owned = { organization_id: tenant.organizationId, project_id: tenant.projectId } as MonitorDoc;
  const message = evidenceMessage(id, downAt, { error: FAILURE });
  await new EvidenceStore(app.db).add([
    evidenceOf({ from: { region: 'paris', probeId: 'probe-paris' }, message, size: 1, at: downAt, shiftMs: 0 }, owned),
  ]);
  const changedAt = downAt - 5 * MINUTE_MS;
  await app.controller.stores.targetChanges.add([{
    _id: newId(changedAt), organization_id: tenant.organizationId, project_id: tenant.projectId, monitor_id: id,
    at: changedAt, regions: ['paris', 'dallas'], kind: 'addresses', before: ['192.0.2.7'], after: ['198.51.100.4', '198.51.100.5'],
  }]);
  await client.post('/api/markers', { text: 'shop v1.2', tags: ['checkout'], at: changedAt - MINUTE_MS });
  app.owners.live.set(id, {
    status: 'down', since: downAt, last_check_at: now - 20_000, last_success_at: downAt - MINUTE_MS,
    last_failure_at: now - 20_000, in_maintenance: false,
    open_incident: { id: incident, started_at: downAt, severity: 'critical', type: 'status_code', failure_count: 1 },
    regions: REGIONS.map(({ id: region }) => {
      const isUp = region === 'osaka';
      return {
        region, status: isUp ? 'up' : 'down', reason: isUp ? null : FAILURE.message, last_check_at: now - 20_000,
        response_time_ms: isUp ? 231.4 : null, probe_id: `probe-${region}`,
      };
    }),
  });
  return { id, incident, downAt };
}

/**
 * Results of the last two days, each minute, slower by day than by night; then an hour of each of 60 days before.
 * With `downAt` Infinity, none failed.
 */
export async function writeResults(app: TestApp, id: string, now: number, downAt: number): Promise<void> {
  const store = new HourStore(app.db);
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const hours = Array.from({ length: 48 }, (_, back) => Math.floor(now / HOUR_MS) * HOUR_MS - back * HOUR_MS);
  const earlier = Array.from({ length: 60 }, (_, back) => today - (back + 3) * DAY_MS);
  await store.write([...hours, ...earlier].map((hour) => {
    const rows = ResultColumns.of(resultsOf(hour, Math.min(now, hour + HOUR_MS), downAt));
    const down = Math.max(0, Math.min(now, hour + HOUR_MS) - Math.max(downAt, hour));
    const monitoredMs = Math.min(HOUR_MS, now - hour);
    return { monitor_id: id, hour, position: 1, rows, rollup: rollupOf(rows, [monitoredMs - down, 0, down], MINUTE_MS) };
  }));
  await store.rollDays(earlier.map((day) => ({ monitor_id: id, day, position: 1 })));
}

function resultsOf(from: number, to: number, downAt: number): StoredResult[] {
  const minutes = Array.from({ length: Math.ceil((to - from) / MINUTE_MS) }, (_, at) => from + at * MINUTE_MS);
  return minutes.flatMap((at) => REGIONS.map(({ id: region }, index): StoredResult => {
    const isDown = at >= downAt && region !== 'osaka';
    const share = Math.abs(Math.sin(at / 7.3e6 + index)) + Math.abs(Math.sin(at)) / 4;
    const phases = { dns: 4, connect: 18 + 30 * index, tls: 25 + 31 * index, first_byte: 60 + 90 * share, transfer: 6 };
    const total = Object.values(phases).reduce((sum, ms) => sum + ms, 0);
    return {
      region, probe_id: `probe-${region}`, scheduled_at: at, started_at: at, outcome: isDown ? 'failure' : 'success',
      degraded: false, reason: 'schedule', attempt: 1, late: false, missed: null,
      response_time_ms: isDown ? null : total, status_code: isDown ? 503 : 200,
      error: isDown ? FAILURE : null, timings: isDown ? { dns: 4, connect: 18, tls: 25 } : phases,
    };
  }));
}

async function writeStates(app: TestApp, { organizationId, projectId }: Tenant, shown: SeededMonitor): Promise<void> {
  const history = new MongoStatusHistory(app.db);
  const owned = { monitor_id: shown.id, organization_id: organizationId, project_id: projectId };
  const { downAt, incident } = shown;
  const earlierOutage = downAt - 20 * HOUR_MS;
  await history.add({ id: newId(1), from: 'unknown', to: 'up', at: earlierOutage - DAY_MS, reason: 'first check', incident_id: null, ...owned });
  await history.add({ id: newId(2), from: 'up', to: 'down', at: earlierOutage, reason: 'Connection refused', incident_id: newId(9), ...owned });
  await history.add({ id: newId(3), from: 'down', to: 'up', at: earlierOutage + HOUR_MS, reason: 'recovered', incident_id: null, ...owned });
  await history.add({ id: newId(4), from: 'up', to: 'down', at: downAt, reason: FAILURE.message, incident_id: incident, ...owned });
}
