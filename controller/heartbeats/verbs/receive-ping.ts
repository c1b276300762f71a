import type { ProjectFacts, Tenant } from '../../access/tenant.ts';
import { newId } from '../../../shared/ids.ts';
import { AppError, notFound } from '../../errors/app-error.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { ProjectContext, PublicContext } from '../../http/routing/route.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import { SLUG } from '../../monitors/settings/heartbeat.ts';
import { createMonitor } from '../../monitors/verbs/write-monitor.ts';
import type { PingHistoryStore } from '../history-store.ts';
import type { PingRecord } from '../ping-record.ts';
import type { PingStore } from '../store.ts';
import type { PingKey } from './ping-key.ts';

type KeyedProject = ProjectFacts & PingKey;

export interface PingDeps {
  pings: Pick<PingStore, 'insert'>;
  history: Pick<PingHistoryStore, 'add'>;
  shardOf(monitorId: string): number;
  /** Asks the shard's owner to journal the ping. The message may get lost, since owners also poll. */
  notifyOwner(monitorId: string): void;
  /** Reports a lost ping, so that silence until now does not count against heartbeats of its shard. */
  onPingLost(monitorId: string): void;
}

export interface HeartbeatDeps extends PingDeps, MonitorWriteDeps {
  projects: {
    /** Null for an unknown key. */
    findByPingKey(key: string): Promise<KeyedProject | null>;
  };
  /** Monitors that this controller is creating, by project and slug. */
  creations: Map<string, Promise<MonitorDoc>>;
}

/** The monitor of a ping: by its token, or by its slug in the project with that key. */
export type PingAddress = { token: string } | { ping_key: string; slug: string };

export type PingSignal = Pick<PingRecord, 'kind' | 'exit_code' | 'run_id' | 'body'>;

/** Of monitors that a ping creates: that of a daily job. */
const DEFAULTS = { heartbeat_interval: 86_400, grace_period: 3600 };

/**
 * Stores a ping. `isCreating`: if no monitor has the slug, it is created. Returns the monitor if this ping
 * created it, else null. Throws RESOURCE_NOT_FOUND for an unknown address, and the errors of `createMonitor`.
 */
export async function receivePing(
  deps: HeartbeatDeps, ctx: PublicContext, address: PingAddress, signal: PingSignal, isCreating: boolean,
): Promise<MonitorDoc | null> {
  const { monitor, isCreated } = await monitorAt(deps, ctx, address, isCreating);
  await storePing(deps, ctx, monitor, signal);
  return isCreated ? monitor : null;
}

type Pinged = Pick<MonitorDoc, '_id' | 'organization_id' | 'project_id' | 'status' | 'revision'>;

/** The ping is durable when this resolves. Ignores one for a monitor that is not active. */
export async function storePing(
  deps: PingDeps, { now, clientAddress }: Pick<PublicContext, 'now' | 'clientAddress'>, monitor: Pinged,
  { kind, exit_code, run_id, body }: PingSignal,
): Promise<void> {
  const { _id: monitor_id, organization_id, project_id, revision, status } = monitor;
  if (status !== 'active') return;
  const ping = { monitor_id, at: now, exit_code, run_id };
  const id = newId(now);
  const record = { _id: id, organization_id, project_id, kind, source: clientAddress, body, ...ping };
  try {
    await Promise.all([
      deps.history.add(record),
      kind === 'log' || deps.pings.insert({ id, shard: deps.shardOf(monitor_id), revision, kind, ...ping }),
    ]);
  } catch (error) {
    deps.onPingLost(monitor_id);
    throw error;
  }
  if (kind !== 'log') deps.notifyOwner(monitor_id);
}

async function monitorAt(
  deps: HeartbeatDeps, ctx: PublicContext, address: PingAddress, isCreating: boolean,
): Promise<{ monitor: MonitorDoc; isCreated: boolean }> {
  if ('token' in address) return existing(await deps.monitors.findByHeartbeatToken(address.token));
  const { ping_key: key, slug } = address;
  const project = await deps.projects.findByPingKey(key);
  if (project === null) throw notFound('Heartbeat');
  const tenant = { organizationId: project.organization_id, projectId: project._id };
  const find = () => deps.monitors.findBySlug(tenant, slug);
  const monitor = await find();
  if (monitor !== null || !isCreating) return existing(monitor);
  if (!SLUG.test(slug)) throw fieldError('slug', 'Use 1 to 100 lowercase letters, digits, hyphens and underscores');
  // Each creation takes a place of the plan until it fails, so simultaneous first pings share one.
  const id = `${project._id}/${slug}`;
  const ongoing = deps.creations.get(id);
  if (ongoing !== undefined) return existing(await ongoing);
  const input = { type: 'HEARTBEAT', name: slug, slug, ...DEFAULTS } as const;
  const creation = createMonitor(deps, editorOf(project, tenant, ctx), input);
  deps.creations.set(id, creation);
  try {
    return { monitor: await creation, isCreated: true };
  } catch (error) {
    // Another controller may have created it meanwhile.
    const isLost = error instanceof AppError && ['SLUG_ALREADY_TAKEN', 'MONITOR_LIMIT_REACHED'].includes(error.code);
    const other = isLost ? await find() : null;
    if (other === null) throw error;
    return existing(other);
  } finally {
    deps.creations.delete(id);
  }
}

function existing(monitor: MonitorDoc | null) {
  if (monitor === null) throw notFound('Heartbeat');
  return { monitor, isCreated: false };
}

/** The context in which the holder of a ping key creates monitors. */
function editorOf(
  { ping_key_by: createdBy = '' }: PingKey, tenant: Tenant, ctx: PublicContext,
): ProjectContext {
  const { organizationId, projectId } = tenant;
  const actor = {
    kind: 'key', keyId: projectId, name: 'Ping key', scope: 'read_write', organizationId, createdBy,
    projectIds: [projectId],
  } as const;
  return { ...ctx, tenant, role: 'editor', actor };
}
