import { queueRefusal } from '../http/limits/rate-limit.ts';
import type { MaintenanceDeps } from '../maintenance/deps.ts';
import { maintenanceRoutes } from '../maintenance/routes.ts';
import { maintenanceRangesOf } from '../maintenance/plan-rules.ts';
import { createWindowTask } from '../maintenance/window-task.ts';
import { maintenanceEndAt } from '../verdicts/time-accounting/maintenance-rules.ts';
import { FairQueue } from '../work/fair-queue.ts';
import type { ControllerPorts } from './ports.ts';
import type { Subscribers } from './subscribers.ts';

/** Computing the occurrences of a window takes up to some 50 ms. */
const TURNS = {
  maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 200, maxWaitingPerKey: 20, maxWaitMs: 25_000,
};
/** For an organization with too many such requests waiting, s. */
const RETRY_AFTER_S = 5;

interface MaintenanceSources {
  subscribers: Pick<Subscribers, 'announce'>;
}

/** Maintenance windows, and how monitors learn of theirs. */
export function openMaintenance(ports: ControllerPorts, { subscribers }: MaintenanceSources) {
  const { stores: { monitors, incidents, pages, windows }, signals, clock, log, peers } = ports;
  const windowTask = createWindowTask({
    windows, clock, log, peers,
    rejournal: async (ids, now) => {
      await monitors.rejournalWindows(ids, now).finally(signals.monitorConfigsChanged.emit);
      const all = await windows.ofMonitors(ids);
      const endOf = (id: string) =>
        maintenanceEndAt({ maintenance: maintenanceRangesOf(all.get(id) ?? [], clock.now()) }, now);
      await incidents.moveMaintenanceEnds(new Map(ids.map((id) => [id, endOf(id)])), now);
      signals.incidentsChanged.emit();
    },
    announce: async ({ organization_id, project_id, status_page_ids: ids }, announcement) => {
      const all = await pages.list({ organizationId: organization_id, projectId: project_id });
      await subscribers.announce(all.filter(({ _id }) => ids.includes(_id)), announcement);
    },
  });
  const turns = new FairQueue(clock, TURNS, queueRefusal(
    RETRY_AFTER_S, 'Too many schedules are being computed; try again in a moment',
  ));
  const deps: MaintenanceDeps = {
    windows, turns, clock,
    existingMonitors: async (tenant, ids) => new Set((await monitors.summaries(tenant, ids)).keys()),
    existingPages: async (tenant) => new Set((await pages.list(tenant)).map(({ _id }) => _id)),
    // A failed run is repeated: its work is stored with the window.
    onWindowChanged: () => windowTask.run().catch(() => undefined),
  };
  return { deps, windowTask, routes: maintenanceRoutes(deps) };
}
