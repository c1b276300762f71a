import { CountStore } from '../monitors/counts/count-store.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import { MonitorListStore } from '../monitors/list/list-store.ts';
import { MonitorStore } from '../monitors/store.ts';
import type { ControllerPorts } from './ports.ts';

export type Monitors = Awaited<ReturnType<typeof openMonitors>>;

/** Monitors, their lists, and their counts, which catch up in the background. */
export async function openMonitors({ mongo: { db }, clock, log }: ControllerPorts) {
  const store = new MonitorStore(db);
  const lists = new MonitorListStore(db);
  const counts = new CountStore(db);
  await Promise.all([store, lists, counts].map((each) => each.ensureIndexes()));
  return { store, lists, counts: new MonitorCounts({ store: counts, clock, log }) };
}
