import type { MonitorPast } from '../../controller/incidents/ports.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { LiveEvent } from '../../controller/events/event.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import { openIncidents, type Incidents } from '../../controller/wiring/incidents.ts';
import type { MonitorLive } from '../../controller/results/reading/live.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../../shared/simulated-clock.ts';
import type { Loose } from './api-client.ts';
import { makeApp, type TestApp } from './make-app.ts';
import type { Tenant } from './tenants.ts';

/** The whole app with the incidents' own routes, on a clock that the test moves. */
export interface IncidentApp {
  app: TestApp;
  incidents: Incidents;
  clock: SimulatedClock;
  /** What the owners of shards know of monitors. */
  live: Map<string, MonitorLive>;
  /** What was told live, in order. */
  told: LiveEvent[];
  /** A monitor of the tenant's default project. */
  monitor(of: Tenant, name?: string): Promise<string>;
}

/** A monitor that nobody has checked yet. */
const UNCHECKED: MonitorPast = { statusSpans: async () => [], results: async () => ({ results: [] }) };

export async function makeIncidentApp(past: MonitorPast = UNCHECKED): Promise<IncidentApp> {
  const clock = new SimulatedClock(Date.UTC(2026, 5, 1, 12));
  const log = createLog('test', 'silent');
  const told: LiveEvent[] = [];
  const live = new Map<string, MonitorLive>();
  let incidents = null as unknown as Incidents;
  const app = await makeApp({
    clock,
    routes: async (db, accounts) => {
      const monitors = new MonitorStore(db);
      incidents = await openIncidents({ db, clock, log, monitors, people: accounts.people, events: { publish: (event) => told.push(event) } });
      return incidents.over({ notifications: new DeliveryStore(db), past, live: { states: async () => live } });
    },
  });
  return {
    app, incidents, clock, live, told,
    monitor: async (of, name = 'Shop') => {
      const body = { name, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
      const { data } = (await of.owner.client.post('/api/monitors', body)) as { data: Loose };
      return data.monitor.id;
    },
  };
}

/** A body that opens a manual incident. */
export function incidentBody(change: Record<string, unknown> = {}): Record<string, unknown> {
  return { severity: 'major', type: 'connection_error', error_message: 'Connection refused', title: 'Checkout fails', ...change };
}
