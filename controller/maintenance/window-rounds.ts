import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import { dueEvents, expected } from './announce-rules.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import { announcementOf } from './announcement.ts';
import { dueAt, planned } from './plan-rules.ts';
import type { WindowStore } from './store.ts';
import type { WindowDoc } from './window.ts';

const LOOK_EVERY_MS = 5000;
const QUIET_MS = 15_000;
/** Windows per round. */
const AT_ONCE = 50;

export interface WindowRoundsDeps {
  windows: WindowStore;
  /** Has all that depends on the windows of these monitors look at them again. May be repeated. */
  retell(monitorIds: string[], now: number): Promise<void>;
  /** Tells the subscribers of those of the window's pages that are published. May be repeated. */
  announce(window: WindowDoc, announcement: Announcement): Promise<void>;
  clock: Clock;
  log: Log;
  company: Company;
}

/**
 * Brings windows to their monitors, which read them into their next configurations, announces them to the
 * readers of pages, and finds the next occurrences. Any controller may do it: steps are repeatable, and a
 * write that others overtake is dropped.
 */
export function windowRounds(deps: WindowRoundsDeps): Rounds {
  const { windows, clock, log, company } = deps;
  return new Rounds({
    clock, everyMs: LOOK_EVERY_MS, quietMs: QUIET_MS, company,
    round: async () => {
      const soon = await windows.due(clock.now() + ALONE_MS, AT_ONCE);
      const due = soon.filter(({ due_at: at = Infinity }) => at <= clock.now());
      for (const window of due) await settle(deps, window, clock.now());
      return due.length === AT_ONCE ? true : soon.length === 0 ? 'quiet' : false;
    },
    onFailed: (error) => log.warn({ err: error }, 'could not notify about maintenance windows'),
  });
}

async function settle(deps: WindowRoundsDeps, seen: WindowDoc, now: number): Promise<void> {
  await announceDue(deps, seen, now);
  const window = await replanned(deps, seen, now);
  if (window === null) return;
  // First what is read, then who reads it: a monitor's next configuration has the window as it is now.
  if (window.untold.length > 0) await deps.retell(window.untold, now);
  if (window.deleted_at !== null) return deps.windows.forget(window);
  const told = { untold: [], announced_until: now };
  await deps.windows.revise(window, { ...told, due_at: dueAt({ ...window, ...told }, now) });
}

/** Before further occurrences replace the present ones. A crash after it repeats the same announcements. */
async function announceDue({ announce }: WindowRoundsDeps, window: WindowDoc, now: number): Promise<void> {
  if (window.deleted_at === null) {
    for (const { phase, occurrence } of dueEvents(window, now)) {
      await announce(window, announcementOf(window, phase, occurrence));
    }
    return;
  }
  const dropped = expected(window, now);
  if (dropped) await announce(window, announcementOf(window, 'cancelled', dropped));
}

/** Null if somebody has changed the window meanwhile: it is due again. */
async function replanned(deps: WindowRoundsDeps, seen: WindowDoc, now: number): Promise<WindowDoc | null> {
  const { plan_at, deleted_at, monitor_ids, untold } = seen;
  if (deleted_at !== null || plan_at === null || plan_at > now) return seen;
  const all = [...new Set([...untold, ...monitor_ids])];
  return deps.windows.revise(seen, { ...planned(seen, now), untold: all, due_at: now });
}
