import type { MonitorDoc } from '../monitors/monitor.ts';
import type { Scope } from './section.ts';

/** Monitors per query. */
const BATCH_SIZE = 500;

/** Adds the names of existing monitors, for lists that contain their ids. */
export async function learnMonitors({ deps, ctx, names }: Scope, ids: readonly string[]): Promise<void> {
  const unknown = [...new Set(ids)].filter((id) => names.nameOf(id) === null);
  for (let at = 0; at < unknown.length; at += BATCH_SIZE) {
    const found = await deps.monitors.monitors.summaries(ctx.tenant, unknown.slice(at, at + BATCH_SIZE));
    for (const [id, { name }] of found) names.learn(id, name);
  }
}

/** Monitors of the project with any of these names. */
export async function findByNames({ deps, ctx }: Scope, names: readonly string[]): Promise<MonitorDoc[]> {
  const found: MonitorDoc[] = [];
  for (let at = 0; at < names.length; at += BATCH_SIZE) {
    found.push(...await deps.monitors.monitors.findByNames(ctx.tenant, names.slice(at, at + BATCH_SIZE)));
  }
  return found;
}
