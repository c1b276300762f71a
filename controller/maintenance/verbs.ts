import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../shared/ids.ts';
import { sleep } from '../../shared/time.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { AppError, notFound } from '../errors/app-error.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { authorOf } from '../http/routing/authorize.ts';
import { fieldError } from '../http/input/validation.ts';
import { retryOnConflict } from '../platform/mongo/mongo-errors.ts';
import type { MaintenanceDeps } from './deps.ts';
import { planOccurrences, currentOrNext } from './plan-rules.ts';
import { occurrencesFrom, type Schedule } from './recurrence.ts';
import {
  checkTimes, type OccurrencesQuery, type PreviewInput, type WindowChangeInput, type WindowInput,
} from './schema.ts';
import {
  MAX_WINDOWS, MAX_WINDOWS_PER_MONITOR, type Occurrence, type WindowDoc, type WindowSettings,
} from './window.ts';

export const TOO_MANY_OF_MONITOR = `A monitor can be in at most ${MAX_WINDOWS_PER_MONITOR} upcoming windows`;
/** Occurrences per preview. */
const MAX_PREVIEWED = 10;
/** After a shorter computation, one round of the event loop is enough. */
const MIN_PAUSE_MS = 5;

export const DEFAULTS: Omit<WindowSettings, 'title' | 'starts_at' | 'ends_at'> = {
  description: null, monitor_ids: [], status_page_ids: [], recurrence: null, timezone: 'UTC',
  suppress_alerts: true,
};
const SETTINGS = ['title', 'starts_at', 'ends_at', ...Object.keys(DEFAULTS)] as (keyof WindowSettings)[];

export function listWindows({ windows }: MaintenanceDeps, { tenant }: ProjectContext): Promise<WindowDoc[]> {
  return windows.list(tenant);
}

interface Listed {
  window: WindowDoc;
  occurrence: Occurrence;
}

/** Occurrences in the time range, by start, of all windows or those of one monitor. */
export async function listOccurrences(
  deps: MaintenanceDeps, { tenant }: ProjectContext,
  { from, to, monitor_id: monitor }: OccurrencesQuery,
): Promise<Listed[]> {
  const named = (await deps.windows.list(tenant))
    .filter(({ monitor_ids }) => monitor === undefined || monitor_ids.includes(monitor));
  const found: Listed[] = [];
  for (const window of named) {
    const own = await inTurn(deps, tenant, () => [...occurrencesFrom(window, from, to)]);
    found.push(...own.map((occurrence) => ({ window, occurrence })));
  }
  return found.sort((one, other) => one.occurrence.starts_at - other.occurrence.starts_at);
}

/** The next occurrences of an unsaved window. Throws VALIDATION_ERROR. */
export async function previewOccurrences(
  deps: MaintenanceDeps, { tenant, now }: ProjectContext, input: PreviewInput,
): Promise<Occurrence[]> {
  const { recurrence = null, timezone = DEFAULTS.timezone } = input;
  const schedule = { ...input, recurrence, timezone };
  checkTimes(schedule);
  return inTurn(deps, tenant, () => {
    const found: Occurrence[] = [];
    for (const occurrence of occurrencesFrom(schedule, now)) {
      found.push(occurrence);
      if (found.length === MAX_PREVIEWED) break;
    }
    return found;
  });
}

/**
 * Computes one schedule, which may take 50 ms. Each takes its own turn, so that an organization with many
 * windows delays others by only one schedule. Then pauses for as long, so that half of the time is left for
 * other requests, which need several rounds of the event loop.
 */
function inTurn<T>(
  { turns, clock }: MaintenanceDeps, { organizationId }: Tenant, compute: () => T,
): Promise<T> {
  return turns.run(organizationId, async () => {
    const startedAt = clock.monotonic();
    const computed = compute();
    const tookMs = clock.monotonic() - startedAt;
    await (tookMs < MIN_PAUSE_MS ? new Promise((resolve) => setImmediate(resolve)) : sleep(clock, tookMs));
    return computed;
  });
}

/** Throws RESOURCE_NOT_FOUND. */
export async function readWindow(
  { windows }: MaintenanceDeps, { tenant }: ProjectContext, id: string,
): Promise<WindowDoc> {
  const found = await windows.find(tenant, id);
  if (found === null) throw notFound('Maintenance window');
  return found;
}

/** Throws VALIDATION_ERROR, FAIR_USE_LIMIT_REACHED. */
export async function createWindow(
  deps: MaintenanceDeps, ctx: ProjectContext, input: WindowInput,
): Promise<WindowDoc> {
  const { title, starts_at, ends_at } = input;
  const settings: WindowSettings = { ...DEFAULTS, ...definedSettings(input), title, starts_at, ends_at };
  await validateSettings(deps, ctx, settings, null);
  return insertWindow(deps, ctx, settings);
}

/** Without validation, which an import does for all windows together. */
export async function insertWindow(
  deps: MaintenanceDeps, ctx: ProjectContext, settings: WindowSettings,
  own: Partial<Pick<WindowDoc, '_id' | 'managed_by'>> = {},
): Promise<WindowDoc> {
  const { tenant, now, actor } = ctx;
  const plan = await inTurn(deps, tenant, () => planOccurrences(settings, now));
  const doc: WindowDoc = {
    ...settings, _id: newId(now), ...ownedBy(tenant), revision: 1,
    created_by: authorOf(actor), ...plan,
    outdated_monitor_ids: settings.monitor_ids, announced_until: now - 1, due_at: now, deleted_at: null,
    created_at: now, updated_at: now, ...own,
  };
  await deps.windows.insert(doc);
  await deps.onWindowChanged();
  return doc;
}

/** Changes only the given fields. Throws RESOURCE_NOT_FOUND, VALIDATION_ERROR, CONFLICT. */
export function changeWindow(
  deps: MaintenanceDeps, ctx: ProjectContext, id: string, input: WindowChangeInput,
): Promise<WindowDoc> {
  return reviseSettings(deps, ctx, id, input, (settings, seen) => (
    validateSettings(deps, ctx, settings, seen)
  ));
}

/** Changes only the given fields. An import sets `managed_by`. Throws the errors of `validate`. */
export function reviseSettings(
  deps: MaintenanceDeps, ctx: ProjectContext, id: string, input: WindowChangeInput,
  validate: (settings: WindowSettings, seen: WindowDoc) => Promise<void>, managed_by?: string,
): Promise<WindowDoc> {
  return revise(deps, ctx, id, async (seen) => {
    const settings = { ...seen, ...definedSettings(input) };
    if (SETTINGS.every((name) => isDeepStrictEqual(settings[name], seen[name]))) {
      return managed_by === undefined ? null : { managed_by };
    }
    await validate(settings, seen);
    const outdated = [...seen.outdated_monitor_ids, ...seen.monitor_ids, ...settings.monitor_ids];
    const outdated_monitor_ids = [...new Set(outdated)];
    const { now, tenant } = ctx;
    const plan = await inTurn(deps, tenant, () => planOccurrences(settings, now));
    const changed = { outdated_monitor_ids, announced_until: now - 1, updated_at: now, managed_by };
    return { ...definedSettings(input), ...plan, ...changed };
  });
}

/** Throws RESOURCE_NOT_FOUND, CONFLICT. */
export async function deleteWindow(deps: MaintenanceDeps, ctx: ProjectContext, id: string): Promise<void> {
  await revise(deps, ctx, id, (seen) => {
    const outdated_monitor_ids = [...new Set([...seen.outdated_monitor_ids, ...seen.monitor_ids])];
    return Promise.resolve({ deleted_at: ctx.now, outdated_monitor_ids });
  });
}

/** Writes what `decide` returns, and decides again if the window changed meanwhile. Null changes nothing. */
function revise(
  deps: MaintenanceDeps, ctx: ProjectContext, id: string,
  decide: (seen: WindowDoc) => Promise<Partial<WindowDoc> | null>,
): Promise<WindowDoc> {
  return retryOnConflict('This maintenance window is', async () => {
    const seen = await readWindow(deps, ctx, id);
    const change = await decide(seen);
    if (change === null) return seen;
    const changed = await deps.windows.revise(seen, { ...change, due_at: ctx.now });
    if (changed !== null) await deps.onWindowChanged();
    return changed;
  });
}

function definedSettings(input: WindowChangeInput): Partial<WindowSettings> {
  return Object.fromEntries(SETTINGS.filter((name) => input[name] !== undefined)
    .map((name) => [name, input[name]]));
}

async function validateSettings(
  deps: MaintenanceDeps, { tenant, now }: ProjectContext, settings: WindowSettings, seen: WindowDoc | null,
): Promise<void> {
  checkTimes(settings);
  const addedMonitors = without(settings.monitor_ids, seen?.monitor_ids);
  const addedPages = without(settings.status_page_ids, seen?.status_page_ids);
  if (addedMonitors.length > 0) {
    checkExist('monitor_ids', 'monitor', addedMonitors, await deps.existingMonitors(tenant, addedMonitors));
  }
  if (addedPages.length > 0) {
    checkExist('status_page_ids', 'status page', addedPages, await deps.existingPages(tenant));
  }
  const others = (await deps.windows.list(tenant)).filter(({ _id }) => _id !== seen?._id);
  if (seen === null) checkRoom(others.length + 1);
  const upcoming = others.filter((other) => currentOrNext(other, now) !== null);
  const isFull = (id: string) =>
    upcoming.filter(({ monitor_ids: ids }) => ids.includes(id)).length >= MAX_WINDOWS_PER_MONITOR;
  if (addedMonitors.some(isFull)) throw fieldError('monitor_ids', TOO_MANY_OF_MONITOR);
}

/** Throws FAIR_USE_LIMIT_REACHED if a project cannot have as many windows. */
export function checkRoom(count: number): void {
  if (count <= MAX_WINDOWS) return;
  const message = `A project can have at most ${MAX_WINDOWS} maintenance windows; delete old ones`;
  throw new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_WINDOWS } });
}

/** Whether an occurrence of the schedule is in progress or ahead. */
export function isUpcoming(
  deps: MaintenanceDeps, { tenant, now }: ProjectContext, schedule: Schedule,
): Promise<boolean> {
  return inTurn(deps, tenant, () => occurrencesFrom(schedule, now).next().done !== true);
}

function checkExist(field: string, noun: string, ids: string[], existing: ReadonlySet<string>): void {
  const unknown = ids.filter((id) => !existing.has(id));
  if (unknown.length > 0) throw fieldError(field, `Unknown ${noun}: ${unknown[0]}`);
}

function without(ids: string[], excluded: readonly string[] = []): string[] {
  const seen = new Set(excluded);
  return ids.filter((id) => !seen.has(id));
}
