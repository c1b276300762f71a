import type { z } from 'zod';
import { newId } from '../../shared/ids.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { AppError } from '../errors/app-error.ts';
import { fieldError } from '../http/input/validation.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import type { MonitorWriteDeps } from '../monitors/deps.ts';
import { loadMonitor } from '../monitors/verbs/read-monitors.ts';
import type { Change, MarkerDoc } from './change.ts';
import type { MarkedMonitor, MarkerStore } from './marker-store.ts';
import type { ChangesQuery, MarkerInput, markerView } from './schema.ts';
import type { ChangeStore, Span } from './store.ts';

const MINUTE_MS = 60_000;
const MAX_AGE_MS = 30 * 24 * 60 * MINUTE_MS;
const MAX_AHEAD_MS = 5 * MINUTE_MS;
/** The changes that an incident lists. */
const BEFORE_INCIDENT = { ms: 30 * MINUTE_MS, limit: 50 };

export interface ChangeDeps extends Pick<MonitorWriteDeps, 'monitors'> {
  changes: Pick<ChangeStore, 'newest'>;
  markers: Pick<MarkerStore, 'newest' | 'add'>;
}

/** Changes and markers of a monitor, newest first. Throws MONITOR_NOT_FOUND. */
export async function listChanges(
  deps: ChangeDeps, ctx: ProjectContext, id: string, { limit, before = Infinity }: ChangesQuery,
): Promise<Change[]> {
  const { tags } = await loadMonitor(deps, ctx, id);
  const to = Math.min(before - 1, ctx.now + MAX_AHEAD_MS);
  return changesIn(deps, ctx.tenant, { id, tags }, { from: 0, to, limit });
}

/** Changes and markers of the 30 minutes before `startedAt` (Unix ms), newest first. */
export async function changesBefore(
  deps: ChangeDeps, tenant: Tenant, monitorId: string, startedAt: number,
): Promise<Change[]> {
  const [monitor] = await deps.monitors.findMany(tenant, [monitorId]);
  const { ms, limit } = BEFORE_INCIDENT;
  const span = { from: startedAt - ms, to: startedAt, limit };
  return changesIn(deps, tenant, { id: monitorId, tags: monitor?.tags ?? [] }, span);
}

async function changesIn(
  { changes, markers }: ChangeDeps, tenant: Tenant, monitor: MarkedMonitor, span: Span,
): Promise<Change[]> {
  const [found, marked] = await Promise.all([
    changes.newest(tenant, monitor.id, span), markers.newest(tenant, monitor, span),
  ]);
  const all: Change[] = [...found, ...marked.map(changeOf)];
  const newest = all.sort((one, other) => other.at - one.at).slice(0, span.limit);
  return newest.map(({ at, regions, kind, before, after }) => ({ at, regions, kind, before, after }));
}

function changeOf({ at, text }: MarkerDoc): Change {
  return { at, regions: [], kind: 'marker', before: [], after: [text] };
}

/** Throws MONITOR_NOT_FOUND, also for monitors of other projects, and VALIDATION_ERROR. */
export async function createMarker(
  { monitors, markers }: ChangeDeps, { tenant, now }: ProjectContext, input: MarkerInput,
): Promise<z.input<typeof markerView>> {
  const { text, at = now, monitor_ids = [], tags = [] } = input;
  if (monitor_ids.length > 0 && tags.length > 0) throw fieldError('tags', 'Give monitor_ids or tags, not both');
  if (at < now - MAX_AGE_MS) throw fieldError('at', 'Must be at most 30 days ago');
  if (at > now + MAX_AHEAD_MS) throw fieldError('at', 'Must be at most 5 minutes ahead');
  const unknown = await monitors.unknownMonitors(tenant, monitor_ids);
  if (unknown.length > 0) throw new AppError('MONITOR_NOT_FOUND', `Monitor not found: ${unknown[0]}`);
  const marker: MarkerDoc = {
    _id: newId(now), ...ownedBy(tenant), text, at, monitor_ids, tags,
    is_for_all: monitor_ids.length + tags.length === 0,
  };
  await markers.add(marker);
  return { id: marker._id, text, at, monitor_ids, tags };
}
