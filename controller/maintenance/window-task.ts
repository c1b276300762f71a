import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import { findDue } from '../work/claimed-work.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { dueEvents, announcedOccurrence } from './announce-rules.ts';
import { announcementOf } from './announcement.ts';
import { dueAt, planOccurrences } from './plan-rules.ts';
import type { WindowStore } from './store.ts';
import type { WindowDoc } from './window.ts';

const POLL_INTERVAL_MS = 5000;
const IDLE_INTERVAL_MS = 15_000;
const BATCH_SIZE = 50;

export interface WindowTaskDeps {
  windows: WindowStore;
  /** Journals the configurations of these monitors again. Idempotent. */
  rejournal(monitorIds: string[], now: number): Promise<void>;
  /** Notifies the subscribers of the window's published pages. Idempotent. */
  announce(window: WindowDoc, announcement: Announcement): Promise<void>;
  clock: Clock;
  log: Log;
  peers: Peers;
}

/**
 * Announces windows to subscribers, plans their next occurrences, and has their monitors journaled. Any
 * controller may run it: all steps are idempotent, and writes are dropped if the window changed meanwhile.
 */
export function createWindowTask(deps: WindowTaskDeps): PeriodicTask {
  const { windows, clock, log, peers } = deps;
  return new PeriodicTask({
    clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_INTERVAL_MS, peers,
    task: async () => {
      const { free, next } = await findDue({ clock, store: windows }, BATCH_SIZE);
      for (const window of free) await processWindow(deps, window, clock.now());
      return next;
    },
    onError: (error) => log.warn({ err: error }, 'could not notify about maintenance windows'),
  });
}

async function processWindow(deps: WindowTaskDeps, seen: WindowDoc, now: number): Promise<void> {
  await announceDue(deps, seen, now);
  const window = await replan(deps, seen, now);
  if (window === null) return;
  // After the plan is stored, because the journaled configurations read it.
  if (window.outdated_monitor_ids.length > 0) await deps.rejournal(window.outdated_monitor_ids, now);
  if (window.deleted_at !== null) return deps.windows.removeIfUnchanged(window);
  const progress = { outdated_monitor_ids: [], announced_until: now };
  await deps.windows.revise(window, { ...progress, due_at: dueAt({ ...window, ...progress }, now) });
}

/** Runs before replanning replaces the occurrences. After a crash, the same announcements are repeated. */
async function announceDue({ announce }: WindowTaskDeps, window: WindowDoc, now: number): Promise<void> {
  if (window.deleted_at === null) {
    for (const { phase, occurrence } of dueEvents(window, now)) {
      await announce(window, announcementOf(window, phase, occurrence));
    }
    return;
  }
  const dropped = announcedOccurrence(window, now);
  if (dropped) await announce(window, announcementOf(window, 'cancelled', dropped));
}

/** Null if the window changed meanwhile. It is due again then. */
async function replan(deps: WindowTaskDeps, seen: WindowDoc, now: number): Promise<WindowDoc | null> {
  const { plan_at, deleted_at, monitor_ids, outdated_monitor_ids } = seen;
  if (deleted_at !== null || plan_at === null || plan_at > now) return seen;
  const all = [...new Set([...outdated_monitor_ids, ...monitor_ids])];
  return deps.windows.revise(seen, { ...planOccurrences(seen, now), outdated_monitor_ids: all, due_at: now });
}
