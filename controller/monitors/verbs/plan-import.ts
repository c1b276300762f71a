import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../shared/errors.ts';
import type { RequestContext } from '../../http/route.ts';
import { fieldError, validationError, type ValidationIssue } from '../../http/validation.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { matchByName } from '../import-rules.ts';
import type { LifecycleStatus, MonitorDoc } from '../monitor.ts';
import type { CreateMonitorInput } from '../schema.ts';
import { followingInterval } from '../settings/heartbeat.ts';
import { settable, type Settable } from '../settable.ts';
import { checkSettings, type SettingsDeps } from './check-settings.ts';
import { monitorLimitReached } from './write-monitor.ts';

/** A monitor as a document wants it. */
export interface WantedMonitor {
  input: CreateMonitorInput;
  /** Undefined: as it is, active when it is new. */
  status?: LifecycleStatus | undefined;
  /** Name of its group, null for none, undefined: as it is. */
  group?: string | null | undefined;
}

export interface PlannedMonitor extends WantedMonitor {
  /** Null: it is to be made. */
  current: MonitorDoc | null;
  settings: Settable;
  /** Names of what changes; empty when all is so already. */
  changes: string[];
}

const NAMES_AT_ONCE = 500;
/** Between two of these others get their turn. */
const PLANNED_AT_ONCE = 100;

/**
 * What an import would do, all of it checked as a write would be. Throws VALIDATION_ERROR that names every bad item by its path,
 * else the first limit that one runs into, with its path, and MONITOR_LIMIT_REACHED when there are too many new ones.
 */
export async function planImport(
  deps: MonitorWriteDeps, ctx: RequestContext, wanted: WantedMonitor[], groupNames: ReadonlyMap<string, string>,
): Promise<PlannedMonitor[]> {
  const docs = matchByName(wanted.map(({ input }) => input), await findByNames(deps, ctx, [...new Set(wanted.map(({ input }) => input.name))]));
  const lookups = rememberingLookups(deps);
  const planned: PlannedMonitor[] = [];
  const issues: ValidationIssue[] = [];
  let limit: AppError | null = null;
  for (const [at, want] of wanted.entries()) {
    if (at % PLANNED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      planned.push(await planOne(lookups, ctx, want, docs[at] ?? null, groupNames));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (Array.isArray(error.details)) issues.push(...(error.details as ValidationIssue[]).map((issue) => ({ ...issue, path: ['monitors', at, ...issue.path] })));
      else limit ??= new AppError(error.code, `monitors.${at}: ${error.message}`, { details: { ...error.details, path: ['monitors', at] } });
    }
  }
  if (issues.length > 0) throw validationError(issues);
  if (limit !== null) throw limit;
  await checkCount(deps, ctx, planned.filter(({ current }) => current === null).length);
  return planned;
}

/** Told before anything is written, where it can be; what comes in between meets the reservation. */
async function checkCount(deps: MonitorWriteDeps, ctx: RequestContext, fresh: number): Promise<void> {
  if (fresh === 0) return;
  const { organizationId } = ctx.tenant;
  const [{ monitors: limit }, { monitors: usage }] = await Promise.all([deps.quota.limitsOf(organizationId), deps.quota.usageOf(organizationId)]);
  if (usage + fresh > limit) throw monitorLimitReached(limit, usage);
}

async function planOne(
  deps: SettingsDeps, ctx: RequestContext, want: WantedMonitor, current: MonitorDoc | null, groupNames: ReadonlyMap<string, string>,
): Promise<PlannedMonitor> {
  const { input } = want;
  if (current !== null && current.type !== input.type) throw fieldError('type', `Type cannot be changed; the monitor of this name is of type ${current.type}`);
  const settings = settable(input, current, input, deps.minIntervalSeconds);
  await checkSettings(deps, ctx, settings, current, askedInterval(settings, input.interval_seconds));
  if (current === null) return { ...want, current, settings, changes: [] };
  const changes = Object.keys(settings).filter((name) => {
    const key = name as keyof Settable;
    return key !== 'group_id' && !isDeepStrictEqual(settings[key], current[key]);
  });
  const group = groupNames.get(current.group_id ?? '') ?? null;
  if (want.group === undefined ? settings.group_id !== (current.group_id ?? null) : want.group !== group) changes.push('group');
  if (want.status !== undefined && want.status !== current.status) changes.push('status');
  return { ...want, current, settings, changes };
}

/** An export also says the interval that a heartbeat has of its pings; nobody has asked for that one. */
function askedInterval({ heartbeat }: Settable, sent: number | undefined): number | undefined {
  return heartbeat !== null && sent === followingInterval(heartbeat.interval_seconds) ? undefined : sent;
}

async function findByNames(deps: MonitorWriteDeps, ctx: RequestContext, names: string[]): Promise<MonitorDoc[]> {
  const found: MonitorDoc[] = [];
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    found.push(...(await deps.monitors.findByNames(ctx.tenant, names.slice(at, at + NAMES_AT_ONCE))));
  }
  return found;
}

/** Asks each thing once for a whole document. */
function rememberingLookups(deps: MonitorWriteDeps): SettingsDeps {
  const remember = <T>(ask: (first: never, second: never) => Promise<T>) => {
    const known = new Map<string, Promise<T>>();
    return (first: unknown, second?: unknown): Promise<T> => {
      const key = JSON.stringify([first, second]);
      const answer = known.get(key) ?? ask(first as never, second as never);
      known.set(key, answer);
      return answer;
    };
  };
  return {
    minIntervalSeconds: deps.minIntervalSeconds,
    quota: { limitsOf: remember((id: string) => deps.quota.limitsOf(id)) },
    regions: { ...deps.regions, unknownRegions: remember((id: string, ids: string[]) => deps.regions.unknownRegions(id, ids)) },
    destinations: { unknownDestinations: remember((tenant: never, ids: string[]) => deps.destinations.unknownDestinations(tenant, ids)) },
    groups: { names: remember((tenant: never, ids: string[]) => deps.groups.names(tenant, ids)) },
  };
}
