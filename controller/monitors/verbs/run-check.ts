import { newId } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorDeps } from '../deps.ts';
import { searchTextOf, type MonitorDoc } from '../monitor.ts';
import type { RegionRun } from '../ports.ts';
import type { TestMonitorInput } from '../schema.ts';
import { checkSettings, settable } from '../settable.ts';
import { variablesFor } from '../variable-texts.ts';
import { loadMonitor } from './read-monitors.ts';
import { newMonitor } from './write-monitor.ts';

/** Interval of a test without one. */
const TEST_INTERVAL_SECONDS = 60;

/** Checks in each region, even if the monitor is not active. Throws MONITOR_NOT_FOUND, VALIDATION_FAILED. */
export async function checkNow(deps: MonitorDeps, ctx: ProjectContext, id: string): Promise<RegionRun[]> {
  const doc = await loadMonitor(deps, ctx, id);
  refuseHeartbeat(doc);
  return deps.runner.run(doc, true);
}

/** Checks once without saving. Throws VALIDATION_ERROR, VALIDATION_FAILED, PLAN_LIMIT_EXCEEDED (regions). */
export async function testMonitor(deps: MonitorDeps, ctx: ProjectContext, input: TestMonitorInput) {
  refuseHeartbeat(input);
  const interval_seconds = Math.max(TEST_INTERVAL_SECONDS, deps.minIntervalSeconds);
  const required = { name: 'Test', type: input.type, interval_seconds };
  const variables = await variablesFor(deps, ctx, input);
  const settings = settable(input, null, required, deps.minIntervalSeconds, variables);
  await checkSettings(deps, ctx.tenant, settings, null, undefined);
  const fresh = newMonitor(ctx, newId(ctx.now), input.type, settings);
  const doc: MonitorDoc = { revision: 1, check_revision: 1, search_text: searchTextOf(fresh), ...fresh };
  return { id: doc._id, runs: await deps.runner.run(doc, false) };
}

function refuseHeartbeat({ type }: Pick<MonitorDoc, 'type'>): void {
  if (type !== 'HEARTBEAT') return;
  throw new AppError('VALIDATION_FAILED', 'HEARTBEAT monitors wait for pings, so there is nothing to check');
}
