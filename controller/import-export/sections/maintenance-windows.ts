import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import { MAX_WINDOWS_PER_MONITOR, type WindowDoc, type WindowSettings } from '../../maintenance/window.ts';
import { checkTimes, windowView, type WindowItem } from '../../maintenance/schema.ts';
import {
  checkRoom, DEFAULTS, deleteWindow, insertWindow, isUpcoming, reviseSettings, TOO_MANY_OF_MONITOR,
} from '../../maintenance/verbs.ts';
import { countEqual } from '../match-by-name.ts';
import { defineSection, type ImportScope, type Matched, type Planned } from '../section.ts';

const exported = windowView.pick({
  title: true, description: true, starts_at: true, ends_at: true, recurrence: true, timezone: true,
  suppress_alerts: true,
}).extend({
  monitors: z.array(z.string()).describe('Names.'),
  status_pages: z.array(z.string()).describe('Subdomains.'),
});

export const maintenanceWindows = defineSection<WindowItem, WindowDoc, WindowSettings>({
  noun: 'maintenance window', exported, isInLastDocument: true,
  nameOf: ({ title }) => title,
  load: async ({ deps, ctx }) => (await deps.maintenance.windows.list(ctx.tenant)).reverse(),
  similarity: (item, doc) => 100 * Number(item.starts_at === doc.starts_at) + countEqual(item, doc),
  monitorsIn: ({ monitors = [] }) => monitors,
  monitorsOf: ({ monitor_ids }) => monitor_ids,
  plan: (scope, matched) => Promise.all(matched.map(({ at, ...one }) => (
    scope.faults.collect(['maintenance_windows', at], () => settingsAfter(scope, { at, ...one }))
  ))),
  check: async (scope, planned, { others }) => {
    checkRoom(others.length + planned.length);
    await checkWindowsPerMonitor(scope, planned, others);
  },
  view: (doc, names) => {
    const { title, description, recurrence, timezone, suppress_alerts } = doc;
    return {
      title, description, starts_at: isoTime(doc.starts_at), ends_at: isoTime(doc.ends_at), recurrence,
      timezone, suppress_alerts,
      monitors: names.namesOf(doc.monitor_ids), status_pages: names.namesOf(doc.status_page_ids),
    };
  },
  write: async ({ deps: { maintenance: deps }, ctx, owner }, planned) => {
    for (const { id: _id, current, next, differences } of planned) {
      if (current === null) await insertWindow(deps, ctx, next, { _id, managed_by: owner });
      else if (differences.length > 0) {
        await reviseSettings(deps, ctx, _id, next, async () => undefined, owner ?? undefined);
      }
    }
  },
  remove: async ({ deps, ctx }, docs) => {
    for (const { _id } of docs) await deleteWindow(deps.maintenance, ctx, _id);
  },
});

/** Throws VALIDATION_ERROR. */
function settingsAfter(
  { names, faults }: ImportScope, { item, at, current }: Matched<WindowItem, WindowDoc>,
): WindowSettings {
  const { monitors, status_pages, ...sent } = item;
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const { monitor_ids, status_page_ids, ...before } = { ...DEFAULTS, ...current };
  const idsOf = (section: 'monitors' | 'status_pages', named: string[] | undefined, kept: string[]) => {
    if (named === undefined) return kept;
    const { ids, unknown } = names.resolveAll(section, named, kept);
    const noun = section === 'monitors' ? 'monitor' : 'status page';
    for (const one of unknown) faults.add(['maintenance_windows', at, section], `Unknown ${noun}: ${one}`);
    return ids;
  };
  const { title, starts_at, ends_at } = item;
  const { description, recurrence, timezone, suppress_alerts } = { ...before, ...given };
  const settings = {
    title, description, starts_at, ends_at, recurrence, timezone, suppress_alerts,
    monitor_ids: idsOf('monitors', monitors, monitor_ids),
    status_page_ids: idsOf('status_pages', status_pages, status_page_ids),
  };
  checkTimes(settings);
  return settings;
}

/** Throws VALIDATION_ERROR for windows that add a monitor to too many. */
async function checkWindowsPerMonitor(
  { deps, ctx, faults }: ImportScope, planned: Planned<WindowItem, WindowDoc, WindowSettings>[],
  others: WindowDoc[],
): Promise<void> {
  const counts = new Map<string, number>();
  const all = [...others.map((doc) => ({ next: doc, current: doc, at: -1 })), ...planned];
  for (const { next, current, at } of all) {
    if (!await isUpcoming(deps.maintenance, ctx, next)) continue;
    for (const id of next.monitor_ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    const added = next.monitor_ids.filter((id) => current?.monitor_ids.includes(id) !== true);
    const isFull = added.some((id) => (counts.get(id) ?? 0) > MAX_WINDOWS_PER_MONITOR);
    if (isFull) faults.add(['maintenance_windows', at, 'monitors'], TOO_MANY_OF_MONITOR);
  }
  faults.throwIfAny();
}
