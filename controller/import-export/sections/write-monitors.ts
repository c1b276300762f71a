import { grouped } from '../../../shared/grouped.ts';
import { writeWithoutCycle } from '../../monitors/dependencies/refuse-cycles.ts';
import { slugsFor } from '../../monitors/monitor.ts';
import { settable } from '../../monitors/settable.ts';
import { keepUsed } from '../../monitors/variable-texts.ts';
import { leaveDeletedGroups } from '../../monitors/verbs/change-many.ts';
import { changeMonitor } from '../../monitors/verbs/change-monitor.ts';
import { newMonitor, reserveMonitors } from '../../monitors/verbs/write-monitor.ts';
import { byText } from '../match-by-name.ts';
import type { ImportScope } from '../section.ts';
import { withoutSlug, withToken } from './heartbeat-tokens.ts';
import { inputOf, newDependencies, type PlannedMonitor } from './monitor-settings.ts';

/** Monitors written concurrently. */
const BATCH_SIZE = 20;

/** Throws MONITOR_LIMIT_REACHED before it writes a monitor. After a crash, another import does the rest. */
export async function writeMonitors(scope: ImportScope, planned: PlannedMonitor[]): Promise<void> {
  const { deps: { monitors: deps }, ctx, names, owner, variables: { after: variables } } = scope;
  const added = planned.filter(({ current }) => current === null).length;
  const apply = async ({ id, item, current, next, differences }: PlannedMonitor): Promise<void> => {
    if (current === null) {
      const { status, granted: _granted, ...settings } = next;
      const inserted = { managed_by: owner, ...newMonitor(ctx, id, item.type, settings, status) };
      if ((await deps.monitors.insert(inserted)) === null) await deps.monitors.insert(withoutSlug(inserted));
    } else if (differences.length > 0) {
      await changeMonitor(deps, ctx, id, (seen) => {
        const { input } = inputOf(item, seen, { id, names, granted: next.granted });
        const own = settable(input, seen, input, deps.minIntervalSeconds, variables);
        const settings = withToken(own, next.granted.token);
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
    await inBatches(planned.filter((one) => !needsSlug(one)), apply);
    const slugOf = ({ id: _id, item: { name } }: PlannedMonitor) => slugsFor({ _id, name })[0] ?? '';
    const withSameSlug = grouped(planned.filter(needsSlug), slugOf);
    await inBatches([...withSameSlug.values()], async (monitors) => {
      const order = byText(monitors.map(({ item }) => item));
      for (const place of [...monitors.keys()].sort(order)) await apply(monitors[place] as PlannedMonitor);
    });
  });
  await keepUsed(deps, variables, planned.flatMap(({ next }) => next.variable_ids ?? []));
  deps.notifyOwners(planned.map(({ id }) => id));
  await leaveDeletedGroups(deps, ctx, planned.map(({ next }) => next.group_id));
}

/** Slugs are made from names, and of two with the same the first written gets the better one. */
function needsSlug({ current, next: { heartbeat } }: PlannedMonitor): boolean {
  return current === null && heartbeat?.slug === null;
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
