import { AppError } from '../../shared/errors.ts';
import { FairQueue } from '../../shared/fair-queue.ts';
import { rateLimitExceeded } from '../http/rate-limit.ts';
import { maintenanceRoutes } from '../maintenance/routes.ts';
import { stretchesOf } from '../maintenance/plan-rules.ts';
import type { WindowStore } from '../maintenance/store.ts';
import type { WindowDoc } from '../maintenance/window.ts';
import { windowRounds } from '../maintenance/window-rounds.ts';
import type { MonitorStore } from '../monitors/store.ts';
import type { PageDoc } from '../status-pages/page.ts';
import type { PageStore } from '../status-pages/store.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import { maintainedUntil } from '../verdicts/maintenance-rules.ts';
import type { MaintenanceStretch } from '../verdicts/monitor-config.ts';
import type { ControllerPorts } from './ports.ts';

/** Computing the occurrences of a window takes up to some 50 ms. */
const TURNS = { atOnce: 1, atOnceOfKey: 1, waiting: 200, waitingOfKey: 20, longestWaitMs: 25_000 };
/** For an organization with too many such requests waiting, s. */
const RETRY_AFTER_S = 5;

interface MaintenanceSinks {
  monitors: Pick<MonitorStore, 'known' | 'retellWindows'>;
  pages: Pick<PageStore, 'list'>;
  windows: WindowStore;
  /** Configurations of some monitors have changed. */
  retold(): void;
  /** The maintenance of monitors ends at these instants (Unix ms), or is over at `now`; may be repeated. */
  endsMoved(ends: ReadonlyMap<string, number>, now: number): Promise<void>;
  /** Tells the subscribers of those pages that are published; may be repeated. */
  announce(pages: PageDoc[], announcement: Announcement): Promise<void>;
}

export type Maintenance = Awaited<ReturnType<typeof openMaintenance>>;

/** Maintenance windows, and how monitors learn of theirs. */
export async function openMaintenance(ports: ControllerPorts, sinks: MaintenanceSinks) {
  const { monitors, pages, windows, retold } = sinks;
  const { clock, log, company } = ports;
  await windows.ensureIndexes();
  const stretches = async (monitorIds: string[]): Promise<Map<string, MaintenanceStretch[]>> => {
    const byMonitor = new Map<string, WindowDoc[]>();
    for (const window of await windows.ofMonitors(monitorIds)) {
      for (const id of window.monitor_ids) byMonitor.set(id, [...(byMonitor.get(id) ?? []), window]);
    }
    return new Map([...byMonitor].map(([id, own]) => [id, stretchesOf(own, clock.now())]));
  };
  const rounds = windowRounds({
    windows, clock, log, company,
    retell: async (ids, now) => {
      await monitors.retellWindows(ids, now).finally(retold);
      const all = await stretches(ids);
      const endOf = (id: string) => maintainedUntil({ maintenance: all.get(id) ?? [] }, now);
      await sinks.endsMoved(new Map(ids.map((id) => [id, endOf(id)])), now);
    },
    announce: async ({ organization_id, project_id, status_page_ids: ids }, announcement) => {
      const all = await pages.list({ organizationId: organization_id, projectId: project_id });
      await sinks.announce(all.filter(({ _id }) => ids.includes(_id)), announcement);
    },
  });
  const turns = new FairQueue(clock, TURNS, (refusal) => {
    if (refusal === 'mine') return rateLimitExceeded(RETRY_AFTER_S);
    return new AppError('SERVICE_UNAVAILABLE', 'Too many schedules are being computed; try again in a moment');
  });
  return {
    rounds, windows,
    routes: maintenanceRoutes({
      windows, turns,
      knownMonitors: async (tenant, ids) => new Set((await monitors.known(tenant, ids)).keys()),
      knownPages: async (tenant) => new Set((await pages.list(tenant)).map(({ _id }) => _id)),
      // A round that fails is made again: what it has to do is stored with the window.
      changed: () => rounds.run().catch(() => undefined),
    }),
    /** The stretches of maintenance of monitors that have any. */
    stretches,
  };
}
