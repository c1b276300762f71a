import { AppError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { searchText } from '../../../shared/search-text.ts';
import type { RequestContext } from '../../http/route.ts';
import type { MonitorDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { RegionRun } from '../ports.ts';
import type { TestMonitorInput } from '../schema.ts';
import { settable } from '../settable.ts';
import { loadMonitor } from './change-monitor.ts';
import { checkSettings } from './check-settings.ts';
import { authorOf } from './write-monitor.ts';

/** An unsaved monitor that does not say when it would run. */
const TEST_INTERVAL_SECONDS = 60;

/** Has the monitor checked now in each of its regions, whether or not it is active. Throws MONITOR_NOT_FOUND, VALIDATION_FAILED for heartbeats. */
export async function checkNow(deps: MonitorDeps, ctx: RequestContext, id: string): Promise<RegionRun[]> {
  const doc = await loadMonitor(deps, ctx, id);
  refuseHeartbeat(doc);
  return deps.runner.run(doc, true);
}

/** Has done once what a monitor like this would do; nothing is saved. Throws VALIDATION_ERROR, VALIDATION_FAILED, PLAN_LIMIT_EXCEEDED (regions). */
export async function testMonitor(deps: MonitorDeps, ctx: RequestContext, input: TestMonitorInput): Promise<{ id: string; runs: RegionRun[] }> {
  refuseHeartbeat(input);
  const required = { name: 'Test', type: input.type, interval_seconds: Math.max(TEST_INTERVAL_SECONDS, deps.minIntervalSeconds) };
  const settings = settable(input, null, required, deps.minIntervalSeconds);
  await checkSettings(deps, ctx, settings, null, undefined);
  const { organizationId, projectId } = ctx.tenant;
  const doc: MonitorDoc = {
    _id: newId(ctx.now), organization_id: organizationId, project_id: projectId, created_by: authorOf(ctx), type: input.type, ...settings, status: 'active',
    deleted_at: null, revision: 1, check_revision: 1, search_text: searchText(settings.name, settings.target), created_at: ctx.now, updated_at: ctx.now,
  };
  return { id: doc._id, runs: await deps.runner.run(doc, false) };
}

function refuseHeartbeat({ type }: Pick<MonitorDoc, 'type'>): void {
  if (type === 'HEARTBEAT') throw new AppError('VALIDATION_FAILED', 'A HEARTBEAT monitor waits for pings; there is nothing to check');
}
