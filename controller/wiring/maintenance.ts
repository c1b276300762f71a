import { maintenanceRoutes } from '../maintenance/routes.ts';
import { stretchesOf } from '../maintenance/plan-rules.ts';
import type { WindowStore } from '../maintenance/store.ts';
import type { WindowDoc } from '../maintenance/window.ts';
import { windowRounds } from '../maintenance/window-rounds.ts';
import type { MonitorStore } from '../monitors/store.ts';
import type { PageDoc } from '../status-pages/page.ts';
import type { PageStore } from '../status-pages/store.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import type { MaintenanceStretch } from '../verdicts/monitor-config.ts';
import type { ControllerPorts } from './ports.ts';

interface MaintenanceSinks {
  monitors: Pick<MonitorStore, 'known' | 'retellWindows'>;
  pages: Pick<PageStore, 'list'>;
  windows: WindowStore;
  /** Configurations of some monitors have changed. */
  retold(): void;
  /** Tells the subscribers of those pages that are published; may be repeated. */
  announce(pages: PageDoc[], announcement: Announcement): Promise<void>;
}

export type Maintenance = Awaited<ReturnType<typeof openMaintenance>>;

/** Maintenance windows, and how monitors learn of theirs. */
export async function openMaintenance(ports: ControllerPorts, sinks: MaintenanceSinks) {
  const { monitors, pages, windows, retold } = sinks;
  const { clock, log, company } = ports;
  await windows.ensureIndexes();
  const rounds = windowRounds({
    windows, clock, log, company,
    retell: (ids, now) => monitors.retellWindows(ids, now).finally(retold),
    announce: async ({ organization_id, project_id, status_page_ids: ids }, announcement) => {
      const all = await pages.list({ organizationId: organization_id, projectId: project_id });
      await sinks.announce(all.filter(({ _id }) => ids.includes(_id)), announcement);
    },
  });
  return {
    rounds, windows,
    routes: maintenanceRoutes({
      windows,
      knownMonitors: async (tenant, ids) => new Set((await monitors.known(tenant, ids)).keys()),
      knownPages: async (tenant) => new Set((await pages.list(tenant)).map(({ _id }) => _id)),
      // A round that fails is made again: what it has to do is stored with the window.
      changed: () => rounds.run().catch(() => undefined),
    }),
    /** The stretches of maintenance of monitors that have any. */
    stretches: async (monitorIds: string[]): Promise<Map<string, MaintenanceStretch[]>> => {
      const byMonitor = new Map<string, WindowDoc[]>();
      for (const window of await windows.ofMonitors(monitorIds)) {
        for (const id of window.monitor_ids) byMonitor.set(id, [...(byMonitor.get(id) ?? []), window]);
      }
      return new Map([...byMonitor].map(([id, own]) => [id, stretchesOf(own, clock.now())]));
    },
  };
}
