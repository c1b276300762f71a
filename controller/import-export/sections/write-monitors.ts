import { writeWithoutCycle } from '../../monitors/dependencies/refuse-cycles.ts';
import { settable } from '../../monitors/settable.ts';
import { leaveDeletedGroups } from '../../monitors/verbs/change-many.ts';
import { changeMonitor } from '../../monitors/verbs/change-monitor.ts';
import { newMonitor, reserveMonitors } from '../../monitors/verbs/write-monitor.ts';
import type { ImportScope } from '../section.ts';
import { withToken } from './heartbeat-tokens.ts';
import { inputOf, newDependencies, type PlannedMonitor } from './monitor-settings.ts';

/** Monitors written concurrently. */
const BATCH_SIZE = 20;

/** Throws MONITOR_LIMIT_REACHED before it writes a monitor. After a crash, another import does the rest. */
export async function writeMonitors(scope: ImportScope, planned: PlannedMonitor[]): Promise<void> {
  const { deps: { monitors: deps }, ctx, names, owner } = scope;
  const added = planned.filter(({ current }) => current === null).length;
  const apply = async ({ id, item, current, next, differences }: PlannedMonitor): Promise<void> => {
    if (current === null) {
      const { status, token: _token, ...settings } = next;
      await deps.monitors.insert({ managed_by: owner, ...newMonitor(ctx, id, item.type, settings, status) });
    } else if (differences.length > 0) {
      await changeMonitor(deps, ctx, id, (seen) => {
        const { input } = inputOf(item, seen, id, names);
        const settings = withToken(settable(input, seen, input, deps.minIntervalSeconds), next.token);
        const managed = owner === null ? {} : { managed_by: owner };
        return { ...settings, ...managed, status: item.status ?? seen.status };
      });
    }
  };
  await writeWithoutCycle(deps, ctx, newDependencies(planned), async () => {
    if (added > 0) await reserveMonitors(deps, ctx.tenant.organizationId, added);
    // First, because a new dependency may be the reverse of a former one.
    await inBatches(planned.filter(losesDependencies), ({ id, next }) =>
      changeMonitor(deps, ctx, id, ({ depends_on }) => (
        { depends_on: depends_on.filter((one) => next.depends_on.includes(one)) }
      )));
    await inBatches(planned, apply);
  });
  deps.notifyOwners(planned.map(({ id }) => id));
  await leaveDeletedGroups(deps, ctx, planned.map(({ next }) => next.group_id));
}

function losesDependencies({ current, next, differences }: PlannedMonitor): boolean {
  const isChanged = differences.some(({ field }) => field === 'depends_on');
  return isChanged && (current?.depends_on.some((id) => !next.depends_on.includes(id)) ?? false);
}

async function inBatches<T>(all: T[], write: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    await Promise.all(all.slice(at, at + BATCH_SIZE).map(write));
  }
}
