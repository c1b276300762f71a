import type { Tenant } from '../../access/tenant.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import { checkSettings, settable, type Settable, type SettingsDeps } from '../../monitors/settable.ts';
import { intervalFromPings } from '../../monitors/settings/heartbeat.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { viewSettings } from '../../monitors/views.ts';
import { inStoredOrder, type ProjectNames } from '../project-names.ts';
import type { MonitorItem } from '../schema.ts';
import type { ImportScope, Matched, Planned } from '../section.ts';
import { withToken } from './heartbeat-tokens.ts';

/** What a heartbeat gets. Each is null for its current or a new one. */
interface Granted {
  token: string | null;
  slug: string | null;
}

export type NextMonitor = Settable & Pick<MonitorDoc, 'status'> & { granted: Granted };
export type PlannedMonitor = Planned<MonitorItem, MonitorDoc, NextMonitor>;

/** Validated like a single write. Collects unknown names; throws the errors of a single write. */
export async function settingsAfter(
  { ctx: { tenant }, names, faults, variables }: ImportScope, lookups: SettingsDeps,
  { item, at, current, id }: Matched<MonitorItem, MonitorDoc>, granted: Granted,
): Promise<NextMonitor> {
  if (current !== null && current.type !== item.type) {
    throw fieldError('type', `Type cannot be changed; the monitor with this name has type ${current.type}`);
  }
  const { input, unknown } = inputOf(item, current, { id, names, granted });
  for (const [field, message] of unknown) faults.add(['monitors', at, field], message);
  const own = settable(input, current, input, lookups.minIntervalSeconds, variables.after);
  const settings = withToken(own, granted.token);
  await checkSettings(lookups, tenant, settings, current, requestedInterval(settings, item.interval_seconds));
  return { ...settings, status: item.status ?? current?.status ?? 'active', granted };
}

/** The item as the API takes a monitor, with ids instead of names, and messages about unknown names. */
export function inputOf(
  item: MonitorItem, current: MonitorDoc | null,
  { id, names, granted }: { id: string; names: ProjectNames; granted: Granted },
) {
  const { group, destinations, depends_on, slug: _slug, ...sent } = item;
  const unknown: [field: string, message: string][] = [];
  const group_id = group === undefined ? item.group_id : names.idOf('groups', group ?? '');
  if (group_id === null && typeof group === 'string') unknown.push(['group', 'Unknown group']);
  const idsOf = (section: 'monitors' | 'integrations', named: string[], kept: string[] | undefined) => {
    const resolved = names.resolveAll(section, named, kept, id);
    const [field, noun] = section === 'monitors' ? ['depends_on', 'monitor'] : ['destinations', 'destination'];
    for (const one of resolved.unknown) unknown.push([field as string, `Unknown ${noun}: ${one}`]);
    return resolved.ids;
  };
  const input = {
    ...sent, ...(granted.slug === null ? {} : { slug: granted.slug }), group_id,
    depends_on: depends_on && idsOf('monitors', depends_on, current?.depends_on),
    notification_target_ids: destinations === undefined
      ? item.notification_target_ids : idsOf('integrations', destinations, current?.notification_target_ids),
    tags: inStoredOrder(item.tags, current?.tags),
    monitoring_regions: inStoredOrder(item.monitoring_regions, current?.monitoring_regions),
  };
  return { input, unknown };
}

/** The monitor as in an export. */
export function viewMonitor(doc: MonitorDoc, names: ProjectNames, isConcealed: boolean) {
  const { notification_target_ids, ...fields } = viewSettings(doc, {
    group: names.nameOf(doc.group_id), depends_on: names.namesOf(doc.depends_on),
  }, isConcealed);
  return { ...fields, destinations: names.namesOf(notification_target_ids) };
}

/** Without the expectations that an export repeats in `keyword_config`, and with the token that it omits. */
export function comparedFields({ keyword, heartbeat }: MonitorDoc, isConcealed: boolean) {
  return {
    ...(keyword && { keyword_config: keyword }),
    ...(heartbeat && { heartbeat_token: isConcealed ? CONCEALED : heartbeat.token }),
  };
}

/** The dependencies that the import changes. */
export function newDependencies(planned: readonly PlannedMonitor[]) {
  return planned.flatMap(({ id: monitor_id, item: { name }, at, current, next: { depends_on } }) => {
    const isUnchanged = depends_on.join() === current?.depends_on.join();
    return isUnchanged ? [] : [{ monitor_id, name, depends_on, path: ['monitors', at, 'depends_on'] }];
  });
}

/** Undefined for the default interval of a heartbeat, which exports contain even if nobody set it. */
function requestedInterval({ heartbeat }: Settable, sent: number | undefined): number | undefined {
  return heartbeat !== null && sent === intervalFromPings(heartbeat.interval_seconds) ? undefined : sent;
}

/** Lookups that read each value only once per document. */
export function memoizedLookups(deps: MonitorWriteDeps, names: ProjectNames): SettingsDeps {
  const { quota, regions, minIntervalSeconds } = deps;
  const memoize = <Args extends unknown[], T>(load: (...args: Args) => Promise<T>) => {
    const results = new Map<string, Promise<T>>();
    return (...args: Args): Promise<T> => {
      const key = JSON.stringify(args);
      const result = results.get(key) ?? load(...args);
      results.set(key, result);
      return result;
    };
  };
  const unknownOf = async (_tenant: Tenant, ids: string[]) => ids.filter((id) => !names.isOf('integrations', id));
  return {
    minIntervalSeconds,
    quota: { limitsOf: memoize(quota.limitsOf.bind(quota)) },
    regions: { unknownRegions: memoize(regions.unknownRegions.bind(regions)) },
    // All groups and destinations are known, also those that the import will create.
    destinations: { unknownDestinations: unknownOf },
    groups: {
      names: async (_tenant, ids) => new Map(ids.flatMap((id) => {
        const name = names.isOf('groups', id) ? names.nameOf(id) : null;
        return name === null ? [] : [[id, name]];
      })),
    },
    // Names were resolved to ids.
    monitors: { unknownMonitors: async () => [] },
  };
}
