import type { Collection, Db, Filter, FindCursor } from 'mongodb';
import type { ShardMap } from '../../shared/ids.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { restoring } from '../platform/mongo/documents.ts';
import type { AgedMonitor } from '../retention/ports.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import {
  type MonitorDoc, type RelatedMonitor, searchTextOf, type Share, type ShownMonitor, slugKeyOf, slugsFor,
} from './monitor.ts';
import { changeOf, isChanged, type MonitorChange, type NewMonitor } from './monitor-change.ts';
import type { TypeSettings } from './settings/registry.ts';
import { monitoredDomain } from './target.ts';

type Aged = Pick<MonitorDoc, '_id' | 'created_at' | 'deleted_at'>;

const restoreAged = restoring<Aged>({ deleted_at: null });

type TokenOwner = Pick<MonitorDoc, '_id' | 'project_id' | 'name' | 'target'>;

type SettingsOf<T extends keyof TypeSettings> = NonNullable<TypeSettings[T]>;

export const restoreShare = restoring<Share>({ group_id: null });

/** Restores null fields that the database omits. */
export const restoreMonitor = restoring<MonitorDoc>({
  timeout_ms: null, group_id: null, deleted_at: null, ssl_monitoring: null, domain_monitoring: null,
  runbook_url: null, alert_severity: null,
  http: null, keyword: null, tcp: null, dns: null, icmp: null, heartbeat: null,
}, {
  http: restoring<SettingsOf<'http'>>({
    body: null, slow_response_threshold_ms: null, slow_response_action: null, auth: null,
    expected_status_ranges: null, ip_family: null, connect_to: null, assertions: null,
  }),
  tcp: restoring<SettingsOf<'tcp'>>({
    protocol_validation: null, tls: null, send: null, expect: null,
  }),
  dns: restoring<SettingsOf<'dns'>>({ dns_server: null }),
  heartbeat: restoring<SettingsOf<'heartbeat'>>({
    slug: null, interval_seconds: null, schedule: null, timezone: null, max_runtime_seconds: null,
  }),
  counted: restoreShare,
});

const PAGE_SIZE = 1000;

export class MonitorStore {
  readonly #shardMap: ShardMap;
  readonly #monitors: Collection<MonitorDoc>;

  constructor(db: Db, shardMap: ShardMap) {
    this.#shardMap = shardMap;
    this.#monitors = db.collection<MonitorDoc>('monitors');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#monitors, [
      // Iterates over a group's monitors by id.
      { key: { organization_id: 1, project_id: 1, deleted_at: 1, group_id: 1, _id: 1 }, name: 'by_group' },
      // Counts an organization's monitors for its plan.
      { key: { organization_id: 1, deleted_at: 1 }, name: 'by_organization' },
      // Iterates over an organization's monitors for retention, including deleted ones.
      { key: { organization_id: 1, _id: 1 }, name: 'by_organization_and_id' },
      // Iterates over active monitors for assignment.
      { key: { status: 1, deleted_at: 1, _id: 1 }, name: 'active' },
      // Finds the monitor of a ping.
      { key: { 'heartbeat.token': 1 }, name: 'by_heartbeat_token', sparse: true },
      // Finds the monitor of a ping by name, and keeps names unique in a project.
      { key: { slug_key: 1 }, name: 'by_slug', unique: true, sparse: true },
      // Polled by shard owners for monitors that their journals lack.
      { key: { unjournaled: 1 }, name: 'unjournaled', sparse: true },
      // Tells whether a domain is still monitored, and iterates over its monitors by id.
      { key: { domain: 1, _id: 1 }, name: 'by_domain' },
      // Finds the monitors that use a variable.
      { key: { variable_ids: 1 }, name: 'by_variable', sparse: true },
    ]);
  }

  /** Gives a heartbeat without a slug one. Null if another monitor of the project has its slug. */
  async insert(doc: NewMonitor): Promise<MonitorDoc | null> {
    const { heartbeat } = doc;
    if (heartbeat === null || heartbeat.slug !== null) return this.#insert(doc);
    for (const slug of slugsFor(doc)) {
      const inserted = await this.#insert({ ...doc, heartbeat: { ...heartbeat, slug } });
      if (inserted !== null) return inserted;
    }
    return null;
  }

  async #insert(doc: NewMonitor): Promise<MonitorDoc | null> {
    const [domain, slugKey] = [monitoredDomain(doc), slugKeyOf(doc)];
    const inserted: MonitorDoc = {
      revision: 1, check_revision: 1, search_text: searchTextOf(doc), ...(domain === null ? {} : { domain }),
      ...(slugKey === null ? {} : { slug_key: slugKey }),
      unjournaled: this.#shardMap.of(doc._id), uncounted: doc.project_id, counted_revision: 0, ...doc,
    };
    return await unlessTaken(this.#monitors.insertOne(inserted)) ? inserted : null;
  }

  /** Null if it does not exist, is deleted or belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<MonitorDoc | null> {
    return restored(this.#monitors.findOne({ ...living(tenant), _id: id }));
  }

  /** At most `limit` monitors of the project, or those of `ids`. Omits ids that are not monitors of it. */
  ofProject(tenant: Tenant, ids: string[] | null, limit: number): Promise<MonitorDoc[]> {
    const filter = { ...living(tenant), ...(ids === null ? {} : { _id: { $in: ids } }) };
    return this.#select(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Searches all tenants. Null if the monitor does not exist or is deleted. */
  findByHeartbeatToken(token: string): Promise<MonitorDoc | null> {
    return restored(this.#monitors.findOne({ 'heartbeat.token': token, deleted_at: null }));
  }

  /** Null if the project has no such heartbeat. */
  findBySlug(tenant: Tenant, slug: string): Promise<MonitorDoc | null> {
    return restored(this.#monitors.findOne({ slug_key: `${tenant.projectId}/${slug}`, ...living(tenant) }));
  }

  /** The heartbeats of the project with these slugs. */
  findBySlugs(tenant: Tenant, slugs: string[]): Promise<MonitorDoc[]> {
    if (slugs.length === 0) return Promise.resolve([]);
    return this.#select({ slug_key: { $in: slugs.map((slug) => `${tenant.projectId}/${slug}`) } }).toArray();
  }

  /** Heartbeat monitors with these tokens, of all tenants. */
  async findByHeartbeatTokens(tokens: string[]): Promise<TokenOwner[]> {
    if (tokens.length === 0) return [];
    const found = this.#monitors.find({ 'heartbeat.token': { $in: tokens }, deleted_at: null });
    return found.project<TokenOwner>({ project_id: 1, name: 1, target: 1 }).toArray();
  }

  /** Names and types by id. Omits ids that are not monitors of this project or are deleted. */
  async summaries(tenant: Tenant, ids: string[]): Promise<Map<string, Pick<MonitorDoc, 'name' | 'type'>>> {
    if (ids.length === 0) return new Map();
    const named = this.#monitors.find({ ...living(tenant), _id: { $in: ids } });
    const found = named.project<Pick<MonitorDoc, '_id' | 'name' | 'type'>>({ name: 1, type: 1 });
    return new Map((await found.toArray()).map(({ _id, name, type }) => [_id, { name, type }]));
  }

  /** Returns those of `ids` that are not monitors of this project or are deleted. */
  async unknownMonitors(tenant: Tenant, ids: string[]): Promise<string[]> {
    const known = await this.summaries(tenant, ids);
    return ids.filter((id) => !known.has(id));
  }

  /** Omits ids that are not monitors of this project or are deleted. */
  async dependencies(tenant: Tenant, ids: string[]): Promise<RelatedMonitor[]> {
    return ids.length === 0 ? [] : this.#related({ ...living(tenant), _id: { $in: ids } });
  }

  /** Searches all tenants. Omits deleted monitors. */
  related(ids: string[]): Promise<RelatedMonitor[]> {
    return this.#related({ _id: { $in: ids }, deleted_at: null });
  }

  /** Omits ids that are not monitors of this project or are deleted. */
  shown(tenant: Tenant, ids: string[]): Promise<ShownMonitor[]> {
    return this.#monitors.find({ ...living(tenant), _id: { $in: ids } })
      .project<ShownMonitor>({ name: 1, type: 1, status: 1, target: 1 }).toArray();
  }

  /** Null if the monitor has changed since `seen` was read. */
  change(seen: MonitorDoc, change: MonitorChange): Promise<MonitorDoc | null> {
    const { filter, update } = changeOf(seen, change, this.#shardMap);
    return restored(this.#monitors.findOneAndUpdate(filter, update, { returnDocument: 'after' }));
  }

  /**
   * Applies each change unless its monitor has changed since `seen` was read. `count` is exact; `ids` may
   * miss a monitor that somebody changed again before it was read back.
   */
  async changeMany(changes: { seen: MonitorDoc; change: MonitorChange }[]) {
    const writes = changes.map(({ seen, change }) => ({ updateOne: changeOf(seen, change, this.#shardMap) }));
    const { modifiedCount: count } = await this.#monitors.bulkWrite(writes, { ordered: false });
    const ids = changes.map(({ seen }) => seen._id);
    if (count === changes.length) return { ids: new Set(ids), count };
    const current = new Map((await this.findByIds(ids)).map((doc) => [doc._id, doc]));
    const done = changes.filter(({ seen, change }) => isChanged(seen, change, current.get(seen._id)));
    return { ids: new Set(done.map(({ seen }) => seen._id)), count };
  }

  /** Whether the project has a monitor that is not deleted. */
  async hasAny(tenant: Tenant): Promise<boolean> {
    return (await this.#monitors.findOne(living(tenant), { projection: { _id: 1 } })) !== null;
  }

  /** Returns those of `ids` that are monitors of the project and not deleted, in no particular order. */
  findMany(tenant: Tenant, ids: string[]): Promise<MonitorDoc[]> {
    return this.#select({ ...living(tenant), _id: { $in: ids } }).toArray();
  }

  /** Monitors of the project with any of these names. */
  findByNames(tenant: Tenant, names: string[]): Promise<MonitorDoc[]> {
    return this.#select({ ...living(tenant), name: { $in: names } }).toArray();
  }

  /** Monitors of the project that this owner's imports manage. */
  managedBy(tenant: Tenant, owner: string): Promise<MonitorDoc[]> {
    return this.#select({ ...living(tenant), managed_by: owner }).toArray();
  }

  /** The project's monitors, oldest first. Uses an index of the list. */
  oldest(tenant: Tenant, skip: number, limit: number): Promise<MonitorDoc[]> {
    const all = this.#select(living(tenant)).sort({ created_at: 1, _id: 1 });
    return all.skip(skip).limit(limit).toArray();
  }

  /** Monitors of a group, or of all groups if null, with ids greater than `after`, ascending. */
  ofGroup(tenant: Tenant, groupId: string | null, after: string, limit: number): Promise<MonitorDoc[]> {
    const filter = { ...living(tenant), group_id: groupId ?? { $gt: '' }, _id: { $gt: after } };
    return this.#select(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Monitors whose settings contain the variable, with ids greater than `after`, ascending. */
  ofVariable(tenant: Tenant, variableId: string, after: string, limit: number): Promise<MonitorDoc[]> {
    const filter = { ...living(tenant), variable_ids: variableId, _id: { $gt: after } };
    return this.#select(filter).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** How many monitors of the project contain the variable. */
  countOfVariable(tenant: Tenant, variableId: string): Promise<number> {
    return this.#monitors.countDocuments({ ...living(tenant), variable_ids: variableId });
  }

  countOfOrganization(organizationId: string): Promise<number> {
    return this.#monitors.countDocuments({ organization_id: organizationId, deleted_at: null });
  }

  /** Monitors of an organization, including deleted ones, with ids greater than `after`, ascending. */
  async pageOfOrganization(organizationId: string, after: string, limit: number): Promise<AgedMonitor[]> {
    const rest = this.#monitors.find({ organization_id: organizationId, _id: { $gt: after } });
    const page = rest.sort({ _id: 1 }).limit(limit).project<Aged>({ created_at: 1, deleted_at: 1 });
    return (await page.map(restoreAged).toArray()).map(({ _id, ...aged }) => ({ monitor_id: _id, ...aged }));
  }

  /** Removes those of `ids` whose deletion is already in the journal and in the counts. */
  async purge(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    const unmarked = { unjournaled: { $exists: false }, uncounted: { $exists: false } };
    await this.#monitors.deleteMany({ _id: { $in: ids }, deleted_at: { $ne: null }, ...unmarked });
  }

  /** Searches all tenants, including deleted monitors. In no particular order. */
  findByIds(ids: string[]): Promise<MonitorDoc[]> {
    return this.#select({ _id: { $in: ids } }).toArray();
  }

  /** Monitors that the journals of these shards do not contain yet, including deleted ones. */
  findUnjournaled(shards: number[], limit: number): Promise<MonitorDoc[]> {
    return this.#select({ unjournaled: { $in: shards } }).limit(limit).toArray();
  }

  /** Skips monitors that have changed since `revision`. */
  async clearUnjournaled(marks: { monitor_id: string; revision: number }[]): Promise<void> {
    if (marks.length === 0) return;
    await this.#monitors.bulkWrite(marks.map(({ monitor_id, revision }) => ({
      updateOne: { filter: { _id: monitor_id, revision }, update: { $unset: { unjournaled: '' } } },
    })), { ordered: false });
  }

  /** Whether a monitor of any tenant monitors the domain. */
  async isDomainMonitored(domain: string): Promise<boolean> {
    return (await this.#monitors.findOne({ domain }, { projection: { _id: 1 } })) !== null;
  }

  /** Marks the domain's monitors for journaling, because its expiry date changed. Idempotent. */
  async rejournalDomain(domain: string): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rest = this.#monitors.find({ domain, _id: { $gt: after } }, { projection: { _id: 1 } });
      const ids: string[] = (await rest.sort({ _id: 1 }).limit(PAGE_SIZE).toArray()).map(({ _id }) => _id);
      if (ids.length === 0) return;
      await this.#monitors.bulkWrite(ids.map((_id) => ({ updateOne: {
        filter: { _id, domain },
        update: { $set: { unjournaled: this.#shardMap.of(_id) }, $inc: { revision: 1 } },
      } })), { ordered: false });
      after = ids[PAGE_SIZE - 1];
    }
  }

  /** Marks these monitors for journaling, because their windows changed at `now`, Unix ms. Idempotent. */
  async rejournalWindows(ids: string[], now: number): Promise<void> {
    if (ids.length === 0) return;
    await this.#monitors.bulkWrite(ids.map((_id) => ({ updateOne: { filter: { _id }, update: {
      $set: { unjournaled: this.#shardMap.of(_id), windows_changed_at: now }, $inc: { revision: 1 },
    } } })), { ordered: false });
  }

  /** Active monitors of all tenants in `region`, by id. A shared region includes automatic selection. */
  async *activeOfRegion(region: string, isShared: boolean): AsyncGenerator<MonitorDoc> {
    const active = { status: 'active', deleted_at: null } as const;
    const named = { monitoring_regions: region };
    const inRegion = isShared ? { $or: [named, { monitoring_regions: [] }] } : named;
    // Reads pages, because a cursor could time out while a slow consumer works.
    for (let after: string | undefined = ''; after !== undefined;) {
      const rest = this.#select({ ...active, _id: { $gt: after }, ...inRegion });
      const page: MonitorDoc[] = await rest.sort({ _id: 1 }).limit(PAGE_SIZE).toArray();
      yield* page;
      after = page[PAGE_SIZE - 1]?._id;
    }
  }

  #related(filter: Filter<MonitorDoc>): Promise<RelatedMonitor[]> {
    const found = this.#monitors.find(filter);
    return found.project<RelatedMonitor>({ name: 1, status: 1, depends_on: 1 }).toArray();
  }

  #select(filter: Filter<MonitorDoc>): FindCursor<MonitorDoc> {
    return this.#monitors.find(filter).map(restoreMonitor);
  }
}

async function restored(read: Promise<MonitorDoc | null>): Promise<MonitorDoc | null> {
  const found = await read;
  return found && restoreMonitor(found);
}

/** Filters a tenant's monitors that are not deleted. */
export function living(tenant: Tenant) {
  return { deleted_at: null, ...ownedBy(tenant) };
}
