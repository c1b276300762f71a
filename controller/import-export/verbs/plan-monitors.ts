import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../shared/ids.ts';
import type { Tenant } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError, validationError, type ValidationIssue } from '../../http/input/validation.ts';
import { refuseCycle } from '../../monitors/dependencies/refuse-cycles.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import { intervalFromPings } from '../../monitors/settings/heartbeat.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { checkSettings, settable, type Settable, type SettingsDeps } from '../../monitors/settable.ts';
import type { VariableDoc } from '../../monitors/variable.ts';
import { variablesFor } from '../../monitors/variable-texts.ts';
import { monitorLimitReached } from '../../monitors/verbs/write-monitor.ts';
import { viewSettings } from '../../monitors/views.ts';
import { differencesOf, type Difference } from '../difference.ts';
import { matchByName } from '../match-rules.ts';
import type { MonitorItem } from '../schema.ts';
import { grantTokens, withFreeSlugs, withToken } from './heartbeat-tokens.ts';
import { findByNames, namesOf, resolveDependencies } from './monitor-names.ts';

export interface PlannedMonitor {
  /** The id that it has or gets. */
  id: string;
  /** With the ids of its dependencies instead of their names. */
  item: MonitorItem;
  /** Null if the monitor is new. */
  current: MonitorDoc | null;
  settings: Settable;
  /** The token that the heartbeat gets; null for its current or a new one. */
  token: string | null;
  /** Empty if the monitor is new. */
  differences: Difference[];
}

/** Monitors planned before the event loop gets a turn. */
const MONITORS_PER_TURN = 100;

/**
 * Plans the changes of an import to monitors, validated like single writes. Throws VALIDATION_ERROR with the
 * paths of all invalid items, else the error of the first item that exceeds a limit, else
 * MONITOR_LIMIT_REACHED.
 */
export async function planMonitors(
  deps: MonitorWriteDeps, ctx: ProjectContext, sent: MonitorItem[], groupNames: ReadonlyMap<string, string>,
): Promise<PlannedMonitor[]> {
  const { tenant, now } = ctx;
  const namesakes = await findByNames(deps, tenant, [...new Set(sent.map(({ name }) => name))]);
  const docs = matchByName(sent, namesakes);
  const items = await withFreeSlugs(deps.monitors, tenant, sent, docs);
  const tokens = await grantTokens(deps.monitors, items, docs);
  const imported = items.map((item, at) => {
    const current = docs[at] ?? null;
    // Increasing ids keep the document's order in lists by creation time.
    return { item, current, token: tokens[at] ?? null, id: current?._id ?? newId(now + at) };
  });
  const { resolved, issues } = await resolveDependencies(deps, tenant, imported);
  const namesById = await namesOf(deps, tenant, docs.flatMap((doc) => doc?.depends_on ?? []));
  const lookups = memoizedLookups(deps);
  const variables = await variablesFor(deps, ctx, items, docs);
  const planned: PlannedMonitor[] = [];
  let limit: AppError | null = null;
  for (const [at, { item, current, token, id }] of imported.entries()) {
    if (at % MONITORS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      const names = { groups: groupNames, monitors: namesById, depends_on: item.depends_on };
      const of = { item: { ...item, depends_on: resolved[at] }, current, token };
      planned.push({ id, ...await plan({ variables, ...lookups }, tenant, of, names) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, details } = error;
      const path = ['monitors', at];
      if (Array.isArray(details)) {
        const faults = details as ValidationIssue[];
        issues.push(...faults.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
      } else limit ??= new AppError(code, `${path.join('.')}: ${message}`, { details: { ...details, path } });
    }
  }
  if (issues.length > 0) throw validationError(issues);
  if (limit !== null) throw limit;
  await refuseCycle(deps, tenant, newDependencies(planned));
  await checkCount(deps, ctx, planned.filter(({ current }) => current === null).length);
  return planned;
}

/** The dependencies that the import changes. */
export function newDependencies(planned: readonly PlannedMonitor[]) {
  return planned.flatMap(({ id: monitor_id, item: { name }, current, settings: { depends_on } }, at) => {
    const isUnchanged = current !== null && isDeepStrictEqual(current.depends_on, depends_on);
    return isUnchanged ? [] : [{ monitor_id, name, depends_on, path: ['monitors', at, 'depends_on'] }];
  });
}

interface Names {
  /** Of the project's groups and of the monitor's current dependencies, by id. */
  groups: ReadonlyMap<string, string>;
  monitors: ReadonlyMap<string, string>;
  /** Of its new dependencies; undefined if they stay. */
  depends_on: string[] | undefined;
}

/**
 * Reports an exceeded limit before anything is written. The reservation catches monitors created meanwhile.
 */
async function checkCount(deps: MonitorWriteDeps, ctx: ProjectContext, added: number): Promise<void> {
  if (added === 0) return;
  const { organizationId } = ctx.tenant;
  const [{ monitors: limit }, { monitors: usage }] = await Promise.all([
    deps.quota.limitsOf(organizationId), deps.quota.usageOf(organizationId),
  ]);
  if (usage + added > limit) throw monitorLimitReached(limit, usage);
}

async function plan(
  deps: SettingsDeps & { variables: VariableDoc[] }, tenant: Tenant,
  of: Pick<PlannedMonitor, 'item' | 'current' | 'token'>, names: Names,
): Promise<Omit<PlannedMonitor, 'id'>> {
  const { item, current, token } = of;
  if (current !== null && current.type !== item.type) {
    throw fieldError('type', `Type cannot be changed; the monitor with this name has type ${current.type}`);
  }
  const settings = withToken(settable(item, current, item, deps.minIntervalSeconds, deps.variables), token);
  await checkSettings(deps, tenant, settings, current, requestedInterval(settings, item.interval_seconds));
  if (current === null) return { settings, differences: [], ...of };
  const nameOf = (id: string | null | undefined) => names.groups.get(id ?? '') ?? null;
  const dependencies = current.depends_on.flatMap((id) => names.monitors.get(id) ?? []);
  const before = { doc: current, group: nameOf(current.group_id), depends_on: dependencies };
  const group = item.group === undefined ? nameOf(settings.group_id) : item.group;
  const after = {
    doc: { ...current, ...settings, status: item.status ?? current.status }, group,
    depends_on: names.depends_on ?? dependencies,
  };
  const [seen, next] = [fieldsOf(before), fieldsOf(after)];
  const isTokenNew = token !== null && token !== current.heartbeat?.token;
  const differences: Difference[] = isTokenNew ? [{ field: 'heartbeat_token', before: CONCEALED, after: CONCEALED }] : [];
  if (isDeepStrictEqual(seen, next)) return { settings, differences, ...of };
  const shown = { before: fieldsOf(before, true), after: fieldsOf(after, true) };
  return { settings, differences: [...differencesOf(seen, next, shown), ...differences], ...of };
}

interface Described {
  doc: MonitorDoc;
  /** Names. */
  group: string | null;
  depends_on: string[];
}

function fieldsOf({ doc, ...names }: Described, isConcealed = false) {
  const fields = viewSettings(doc, names, isConcealed);
  // Without the expectations that an export repeats in `keyword_config`.
  return doc.keyword === null ? fields : { ...fields, keyword_config: doc.keyword };
}

/** Undefined for the default interval of a heartbeat, which exports contain even if nobody set it. */
function requestedInterval({ heartbeat }: Settable, sent: number | undefined): number | undefined {
  return heartbeat !== null && sent === intervalFromPings(heartbeat.interval_seconds) ? undefined : sent;
}

/** Lookups that read each value only once per document. */
function memoizedLookups(deps: MonitorWriteDeps): SettingsDeps {
  const { quota, regions, destinations, groups, minIntervalSeconds } = deps;
  const memoize = <Args extends unknown[], T>(load: (...args: Args) => Promise<T>) => {
    const results = new Map<string, Promise<T>>();
    return (...args: Args): Promise<T> => {
      const key = JSON.stringify(args);
      const result = results.get(key) ?? load(...args);
      results.set(key, result);
      return result;
    };
  };
  return {
    minIntervalSeconds,
    quota: { limitsOf: memoize(quota.limitsOf.bind(quota)) },
    regions: { unknownRegions: memoize(regions.unknownRegions.bind(regions)) },
    destinations: { unknownDestinations: memoize(destinations.unknownDestinations.bind(destinations)) },
    groups: { names: memoize(groups.names.bind(groups)) },
    // Names were resolved to ids, some of which the import will create.
    monitors: { unknownMonitors: async () => [] },
  };
}
