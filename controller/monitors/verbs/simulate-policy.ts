import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { StoredResult } from '../../results/hours/stored-result.ts';
import { DAY_MS } from '../../verdicts/time-accounting/time-accounting-rules.ts';
import { OutageReplay } from '../../verdicts/outage-replay.ts';
import { toMonitorConfig } from '../settings/registry.ts';
import type { MonitorDeps } from '../deps.ts';
import type { SimulationInput } from '../schema.ts';
import { loadMonitor } from './read-monitors.ts';

/** More than a week of three regions that check once a minute. */
const MAX_RESULTS = 50_000;
/** Results per read, and results replayed before the event loop gets a turn. */
const BATCH_SIZE = 1000;
const MAX_ACTUAL_INCIDENTS = 100;

/**
 * Replays stored results under another policy, and returns the simulated and the actual outages. `since` is
 * the start of the oldest replayed result, Unix ms; null if there is none. Throws MONITOR_NOT_FOUND,
 * VALIDATION_FAILED, VALIDATION_ERROR.
 */
export async function simulatePolicy(
  deps: MonitorDeps, ctx: ProjectContext, id: string, { confirmation_policy, from, to }: SimulationInput,
) {
  const doc = await loadMonitor(deps, ctx, id);
  if (doc.type === 'HEARTBEAT') {
    throw new AppError('VALIDATION_FAILED', 'HEARTBEAT monitors have no votes to recount');
  }
  const until = Math.min(to ?? ctx.now, ctx.now);
  if (from >= until) throw fieldError('from', 'Must be in the past and before the end');
  // Skip hours without results: there are half a million of them since 1970.
  const { raw_results_days } = await deps.quota.limitsOf(ctx.tenant.organizationId);
  const oldest = Math.max(from, doc.created_at, ctx.now - raw_results_days * DAY_MS);
  const rows = oldest >= until ? [] : await newestFirst(deps, id, oldest, until);
  const since = rows.at(-1)?.started_at ?? null;
  const { regions: quorum, retries, recoveries } = { ...doc.confirmation_policy, ...confirmation_policy };
  const present = await deps.runner.assignedOf(doc);
  const policy = { quorum, retries, recoveries };
  const replay = new OutageReplay({ ...toMonitorConfig(doc), ...policy, ...present }, since ?? from);
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    replay.add(rows[at] as StoredResult);
    if (at % BATCH_SIZE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const range = { from, to: until, limit: MAX_ACTUAL_INCIDENTS };
  const actual = await deps.readers.outages.between(ctx.tenant, id, range);
  return { since, incidents: replay.finish(until), actual };
}

async function newestFirst(deps: MonitorDeps, id: string, from: number, to: number): Promise<StoredResult[]> {
  const rows: StoredResult[] = [];
  let cursor: string | undefined;
  do {
    const page = await deps.readers.history.results(id, { from, to, limit: BATCH_SIZE, cursor });
    rows.push(...page.results);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && rows.length < MAX_RESULTS);
  return rows;
}
