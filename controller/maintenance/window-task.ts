import type { Peers } from '../../shared/peers.ts';
import type { Log } from '../../shared/log.ts';
import { ONLY_CONTROLLER_INTERVAL_MS, PeriodicTask } from '../../shared/periodic-task.ts';
import type { Clock } from '../../shared/time.ts';
import { dueEvents, announcedOccurrence } from './announce-rules.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import { announcementOf } from './announcement.ts';
import { dueAt, planOccurrences } from './plan-rules.ts';
import type { WindowStore } from './store.ts';
import type { WindowDoc } from './window.ts';

const POLL_INTERVAL_MS = 5000;
const IDLE_INTERVAL_MS = 15_000;
/** Windows per round. */
const BATCH_SIZE = 50;

export interface WindowTaskDeps {
  windows: WindowStore;
  /** Has all that depends on the windows of these monitors look at them again. May be repeated. */
  rejournal(monitorIds: string[], now: number): Promise<void>;
  /** Tells the subscribers of those of the window's pages that are published. May be repeated. */
  announce(window: WindowDoc, announcement: Announcement): Promise<void>;
  clock: Clock;
  log: Log;
  peers: Peers;
}

/**
 * Brings windows to their monitors, which read them into their next configurations, announces them to the
 * readers of pages, and finds the next occurrences. Any controller may do it: steps are repeatable, and a
 * write that others overtake is dropped.
 */
export function createWindowTask(deps: WindowTaskDeps): PeriodicTask {
  const { windows, clock, log, peers } = deps;
  return new PeriodicTask({
    clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_INTERVAL_MS, peers,
    task: async () => {
      const upcoming = await windows.due(clock.now() + ONLY_CONTROLLER_INTERVAL_MS, BATCH_SIZE);
      const due = upcoming.filter(({ due_at: at = Infinity }) => at <= clock.now());
      for (const window of due) await processWindow(deps, window, clock.now());
      return due.length === BATCH_SIZE ? true : upcoming.length === 0 ? 'idle' : false;
    },
    onError: (error) => log.warn({ err: error }, 'could not notify about maintenance windows'),
  });
}

async function processWindow(deps: WindowTaskDeps, seen: WindowDoc, now: number): Promise<void> {
  await announceDue(deps, seen, now);
  const window = await replan(deps, seen, now);
  if (window === null) return;
  // First what is read, then who reads it: a monitor's next configuration has the window as it is now.
  if (window.outdated_monitor_ids.length > 0) await deps.rejournal(window.outdated_monitor_ids, now);
  if (window.deleted_at !== null) return deps.windows.removeIfUnchanged(window);
  const progress = { outdated_monitor_ids: [], announced_until: now };
  await deps.windows.revise(window, { ...progress, due_at: dueAt({ ...window, ...progress }, now) });
}

/** Before further occurrences replace the present ones. A crash after it repeats the same announcements. */
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

/** Null if somebody has changed the window meanwhile: it is due again. */
async function replan(deps: WindowTaskDeps, seen: WindowDoc, now: number): Promise<WindowDoc | null> {
  const { plan_at, deleted_at, monitor_ids, outdated_monitor_ids } = seen;
  if (deleted_at !== null || plan_at === null || plan_at > now) return seen;
  const all = [...new Set([...outdated_monitor_ids, ...monitor_ids])];
  return deps.windows.revise(seen, { ...planOccurrences(seen, now), outdated_monitor_ids: all, due_at: now });
}
