import { canSeeCredentials } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { loadMonitor } from '../../monitors/verbs/read-monitors.ts';
import { withRunTimes } from '../../results/intake/ping-rules.ts';
import type { PingHistoryStore } from '../history-store.ts';
import type { PingRecord } from '../ping-record.ts';

export interface PingReadDeps extends Pick<MonitorWriteDeps, 'monitors'> {
  history: Pick<PingHistoryStore, 'newest'>;
}

interface Page {
  limit: number;
  /** Only pings before it, Unix ms. */
  before?: number | undefined;
}

/**
 * The kept pings of a monitor, newest first. Conceals bodies from roles that may not see credentials, because
 * jobs print some. Throws MONITOR_NOT_FOUND.
 */
export async function readPings(
  deps: PingReadDeps, ctx: ProjectContext, id: string, { limit, before }: Page,
) {
  await loadMonitor(deps, ctx, id);
  const records = await deps.history.newest(ctx.tenant, id);
  const durations = durationsOf(records);
  const page = records.filter(({ at }) => at < (before ?? Infinity)).slice(0, limit);
  const isConcealed = !canSeeCredentials(ctx.role);
  return page.map(({ _id, at, kind, exit_code, run_id, source, body }) => ({
    at, kind, exit_code, duration_ms: durations.get(_id) ?? null, run_id, source,
    body: isConcealed && body !== null ? CONCEALED : body,
  }));
}

/** By id: how long the run that a ping ended took, ms; null if its start is not among these. */
function durationsOf(records: readonly PingRecord[]): Map<string, number | null> {
  const pings = records.flatMap(({ _id: id, kind, monitor_id, at, exit_code, run_id }) =>
    (kind === 'log' ? [] : [{ id, kind, monitor_id, at, exit_code, run_id, revision: 0 }]));
  return new Map(withRunTimes(pings, () => null).map(({ id, run_ms }) => [id, run_ms]));
}
