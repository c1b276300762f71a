import type { MonitorHistoryReader } from '../../controller/incidents/ports.ts';
import { SimulatedClock } from './simulated-clock.ts';
import type { Loose } from './api-client.ts';
import { makeApp, type TestApp } from './make-app.ts';
import type { Tenant } from './tenants.ts';

/** The whole app on a clock controlled by the test. */
export interface IncidentApp extends Pick<TestApp['owners'], 'live' | 'publishedEvents'> {
  app: TestApp;
  incidents: TestApp['controller']['incidents'];
  clock: SimulatedClock;
  /** Creates a monitor in the tenant's default project. */
  monitor(of: Tenant, name?: string): Promise<string>;
}

/** `history` replaces the stored results and states of monitors. */
export async function makeIncidentApp(history?: MonitorHistoryReader): Promise<IncidentApp> {
  const clock = new SimulatedClock(Date.UTC(2026, 5, 1, 12));
  const app = await makeApp({
    clock,
    routes: ({ changes, incidents, notifications, results: { readers: { unwritten } } }) => (history === undefined
      ? []
      : incidents.routesOver({
        notifications: notifications.log, history, changes: changes.ofIncidents, unwritten,
        onStatusChanged: async () => undefined, notifyOwner: () => undefined,
      })),
  });
  const { live, publishedEvents } = app.owners;
  return {
    app, incidents: app.controller.incidents, clock, live, publishedEvents,
    monitor: async (of, name = 'Shop') => {
      const body = { name, type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
      const { data } = (await of.owner.client.post('/api/monitors', body)) as { data: Loose };
      return data.monitor.id;
    },
  };
}

/** A request body for a manual incident. */
export function incidentBody(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    severity: 'major', type: 'connection_error', error_message: 'Connection refused', title: 'Checkout fails',
    ...change,
  };
}
