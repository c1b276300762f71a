import type { Collection, Db, Filter } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import type { DiagnosisSummary } from '../diagnosis/diagnosis.ts';
import type { OpenIncident } from '../monitors/ports.ts';
import { searchPattern } from '../monitors/monitor.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import { claimedAs, notHeld, type WorkClaim } from '../work/claimed-work.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { unlessTaken } from '../platform/mongo/mongo-errors.ts';
import type { IncidentChange, IncidentDoc, IncidentUpdateDoc, ListedIncident } from './incident.ts';
import { PAST, viewPast, type PastDoc, type PastIncident } from './past-incident.ts';
import type { IncidentQuery } from './schema.ts';
import { restoreIncident, restoreListed } from './history-store.ts';

/** Limit per query. */
const MAX_OPEN_INCIDENTS = 1000;
/** Set with each change, so that status pages are notified immediately. */
const PAGES_DUE_NOW = { pages_due: 0 } as const;
/** Limit of postponed incidents per call. A window has at most 500 monitors. */
const MAX_POSTPONED = 1000;
const UNLISTED_FIELDS = {
  postmortem: 0, pending_updates: 0, search_text: 0, unjournaled: 0, pages_due: 0, claim: 0,
  notified_page_ids: 0, features: 0,
} as const;
/** Set with each change, because a controller that holds the claim is publishing an outdated incident. */
const UNCLAIMED = { $unset: { claim: '' } } as const;

const OPEN_STATUSES: IncidentDoc['status'][] = ['open', 'acknowledged'];
/** Limit of incidents that are compared with each other. */
const MAX_STARTED = 20_000;
/** Incidents of one monitor that get a diagnosis at once. */
const MAX_DIAGNOSED = 20;
const STARTED = { project_id: 1, check_id: 1, started_at: 1, features: 1, cause_id: 1 } as const;

type StartedDoc = Pick<IncidentDoc, '_id' | keyof typeof STARTED>;
/** An incident that may have a common cause with others. */
type StartedIncident = Omit<StartedDoc, '_id' | 'check_id' | 'features' | 'cause_id'>
  & { id: string; monitor_id: string; features: string[]; cause_id: string | null };
type CausedIncident = Pick<StartedIncident, 'id' | 'monitor_id'> & { cause_id: string };
type OpenDoc = Omit<OpenIncident, 'id' | 'monitor_id'> & Pick<IncidentDoc, '_id' | 'check_id'>;

export class IncidentStore {
  readonly #incidents: Collection<IncidentDoc>;

  constructor(db: Db) {
    this.#incidents = db.collection<IncidentDoc>('incidents');
  }

  async ensureIndexes(): Promise<void> {
    const latestFirst = { started_at: -1, _id: -1 } as const;
    await ensureIndexes(this.#incidents, [
      // Lists and searches a project's incidents.
      { key: { organization_id: 1, project_id: 1, ...latestFirst }, name: 'list' },
      // Lists a project's open incidents.
      { key: { organization_id: 1, project_id: 1, status: 1, ...latestFirst }, name: 'list_by_status' },
      // Lists the incidents of one monitor.
      { key: { organization_id: 1, project_id: 1, check_id: 1, ...latestFirst }, name: 'list_by_monitor' },
      // Finds the open incidents of many monitors.
      {
        key: { organization_id: 1, project_id: 1, check_id: 1, status: 1, ...latestFirst },
        name: 'open_by_monitor',
      },
      // Polled by shard owners for ends that their journals lack.
      { key: { unjournaled: 1 }, name: 'unjournaled', sparse: true },
      // Finds incidents that may have a common cause, and the oldest.
      { key: { organization_id: 1, started_at: -1 }, name: 'by_begin' },
      // Finds the incidents of a cause.
      { key: { cause_id: 1, status: 1 }, name: 'of_cause', sparse: true },
      // Finds incidents whose status pages must be notified.
      { key: { pages_due: 1 }, name: 'pages_due', sparse: true },
    ]);
  }

  /** Null if it does not exist or belongs to another tenant. */
  find(tenant: Tenant, id: string): Promise<IncidentDoc | null> {
    return restored(this.#incidents.findOne({ _id: id, ...ownedBy(tenant) }));
  }

  /** Searches all tenants, for background work that knows only the id. */
  findById(id: string): Promise<IncidentDoc | null> {
    return restored(this.#incidents.findOne({ _id: id }));
  }

  /** Returns one page, latest start first, and the total number of matches. */
  async list(tenant: Tenant, query: IncidentQuery): Promise<{ incidents: ListedIncident[]; total: number }> {
    const filter = listFilter(tenant, query);
    const skip = (query.page - 1) * query.limit;
    const page = this.#incidents.find(filter).sort({ started_at: -1, _id: -1 }).skip(skip).limit(query.limit);
    const [incidents, total] = await Promise.all([
      page.project<ListedIncident>(UNLISTED_FIELDS).map(restoreListed).toArray(),
      this.#incidents.countDocuments(filter),
    ]);
    return { incidents, total };
  }

  async insert(doc: IncidentDoc): Promise<void> {
    await this.#incidents.insertOne({ ...PAGES_DUE_NOW, ...doc });
  }

  /** Does nothing and returns false if it exists. */
  insertIfAbsent(doc: IncidentDoc): Promise<boolean> {
    return unlessTaken(this.#incidents.insertOne({ ...pagesDueAfter(doc), ...doc }));
  }

  /** Writes the change and its history entries. Null if the incident has changed since `seen` was read. */
  change(seen: IncidentDoc, change: IncidentChange, lines: IncidentUpdateDoc[]): Promise<IncidentDoc | null> {
    const { _id, organization_id, project_id, revision, status } = seen;
    const history = lines.length > 0 ? { $push: { pending_updates: { $each: lines } } } : {};
    return restored(this.#incidents.findOneAndUpdate(
      { _id, organization_id, project_id, revision, status },
      { $set: { ...pagesDueAfter(seen), ...change }, $inc: { revision: 1 }, ...UNCLAIMED, ...history },
      { returnDocument: 'after' },
    ));
  }

  /** Clears history entries after they were copied, unless the incident has changed since. */
  async clearPending({ _id, revision }: IncidentDoc): Promise<void> {
    await this.#incidents.updateOne({ _id, revision }, { $set: { pending_updates: [] } });
  }

  /** Null unless the incident is open or acknowledged. */
  markResolved(id: string, change: IncidentChange): Promise<IncidentDoc | null> {
    return restored(this.#incidents.findOneAndUpdate(
      { _id: id, status: { $in: OPEN_STATUSES } },
      { $set: { ...PAGES_DUE_NOW, ...change, status: 'resolved' }, $inc: { revision: 1 }, ...UNCLAIMED },
      { returnDocument: 'after' },
    ));
  }

  /**
   * Incidents with status pages to notify by `until`, Unix ms, longest due first. Excludes the claims `held`.
   */
  dueForPages(until: number, limit: number, held: readonly string[] = []): Promise<IncidentDoc[]> {
    const due = this.#incidents.find({ pages_due: { $lte: until }, ...notHeld(held) });
    return due.sort({ pages_due: 1 }).limit(limit).map(restoreIncident).toArray();
  }

  /** Null if the incident was claimed, changed or rescheduled since `seen` was read. */
  claimForPages(seen: IncidentDoc, claim: WorkClaim): Promise<IncidentDoc | null> {
    const { pages_due } = seen;
    return restored(this.#incidents.findOneAndUpdate(
      { pages_due, ...claimedAs(seen) }, { $set: { claim } }, { returnDocument: 'after' },
    ));
  }

  /** Records that pages were notified. Does nothing if the incident has changed or the claim was lost. */
  async markPagesNotified(claimed: IncidentDoc, pageIds: string[]): Promise<void> {
    await this.#incidents.updateOne(
      claimedAs(claimed),
      { $set: { notified_page_ids: pageIds }, $unset: { claim: '', pages_due: '' } },
    );
  }

  /** Postpones page notifications of incidents in maintenance to its new end, Unix ms by monitor id. */
  async moveMaintenanceEnds(ends: ReadonlyMap<string, number>, now: number): Promise<void> {
    const waiting = { pages_due: { $gt: now }, check_id: { $in: [...ends.keys()] } };
    for (const incident of await this.#incidents.find(waiting).limit(MAX_POSTPONED).toArray()) {
      const { _id, check_id, pages_due, maintenance_until } = incident;
      const until = check_id === null ? undefined : ends.get(check_id);
      if (until === undefined || maintenance_until === undefined) continue;
      const change = { $set: { maintenance_until: until, pages_due: until } };
      await this.#incidents.updateOne({ _id, pages_due, maintenance_until }, change);
    }
  }

  /**
   * Schedules posts on status pages about the open incidents of these monitors, at `due`, Unix ms. Incidents
   * that wait for the end of maintenance keep waiting.
   */
  async schedulePosting(
    tenant: Tenant, monitorIds: readonly string[], due: number, now: number,
  ): Promise<void> {
    const isAbout = { $in: [...monitorIds] };
    const isFree = [{ maintenance_until: { $exists: false } }, { maintenance_until: { $lte: now } }];
    const any = isFree.flatMap((free) => [
      { ...free, check_id: isAbout }, { ...free, affected_monitor_ids: isAbout },
    ]);
    await this.#incidents.updateMany(
      { ...ownedBy(tenant), status: { $in: OPEN_STATUSES }, $or: any },
      { $set: { pages_due: due }, ...UNCLAIMED },
    );
  }

  /** Incidents that people ended and that the journals of these shards lack. */
  async unjournaledEnds(shards: number[], limit: number) {
    const found = await this.#incidents.find({ unjournaled: { $in: shards } }).limit(limit).toArray();
    return found.map(({ _id: incident_id, check_id, unjournaled: shard = 0, resolved_at, updated_at }) =>
      ({ incident_id, monitor_id: check_id ?? '', shard, at: resolved_at ?? updated_at }));
  }

  async clearUnjournaled(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#incidents.updateMany({ _id: { $in: ids } }, { $unset: { unjournaled: '' } });
  }

  /** Null unless the incident is open or acknowledged. A null `heldBy` removes it. */
  setHeldBy(id: string, heldBy: NonNullable<IncidentDoc['held_by']> | null): Promise<IncidentDoc | null> {
    const change = heldBy === null ? { $unset: { held_by: '' } as const } : { $set: { held_by: heldBy } };
    return restored(this.#incidents.findOneAndUpdate(
      { _id: id, status: { $in: ['open', 'acknowledged'] } }, { ...change, $inc: { revision: 1 } },
      { returnDocument: 'after' },
    ));
  }

  /** Ids of the monitor's incidents that are open or opened since `since`, Unix ms, without late ones. */
  async ofOutage(tenant: Tenant, monitorId: string, since: number): Promise<string[]> {
    const found = this.#incidents.find({
      ...ownedBy(tenant), check_id: monitorId, source: 'system', late: { $exists: false },
      $or: [{ status: { $in: OPEN_STATUSES } }, { created_at: { $gte: since } }],
    }).limit(MAX_DIAGNOSED);
    return (await found.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
  }

  /** Returns those of `ids` that did not have this diagnosis, as they are now. */
  async setDiagnosis(ids: string[], diagnosis: DiagnosisSummary): Promise<IncidentDoc[]> {
    const { id, classification } = diagnosis;
    const isOther: Filter<IncidentDoc> =
      { $or: [{ 'diagnosis.id': { $ne: id } }, { 'diagnosis.classification': { $ne: classification } }] };
    const changed = ids.map((_id) => restored(this.#incidents.findOneAndUpdate(
      { _id, ...isOther }, { $set: { diagnosis }, $inc: { revision: 1 } }, { returnDocument: 'after' },
    )));
    return (await Promise.all(changed)).filter((one) => one !== null);
  }

  /** Records that a notification was delivered. */
  async markNotified(id: string, channel: string): Promise<void> {
    const change = { $set: { notification_sent: true }, $addToSet: { notification_channels: channel } };
    await this.#incidents.updateOne({ _id: id }, change);
  }

  /** Those of the organization that may have a cause and began in this time, Unix ms; at most `limit`. */
  async startedBetween(
    organizationId: string, from: number, to: number, limit = MAX_STARTED,
  ): Promise<StartedIncident[]> {
    const began = { $gte: from, $lte: to };
    const found = await this.#incidents
      .find({ organization_id: organizationId, started_at: began, features: { $exists: true } })
      .limit(limit).project<StartedDoc>(STARTED).toArray();
    return found.map(({ _id: id, check_id, features = [], cause_id = null, ...rest }) =>
      ({ id, monitor_id: check_id ?? '', features, cause_id, ...rest }));
  }

  /**
   * What checks opened in the organization from `since` until before `to` and was not over by `from` (Unix
   * ms), in the order in which it began; at most the latest `limit`.
   */
  async ofChecksBetween(
    organizationId: string, { since, from, to }: { since: number; from: number; to: number }, limit: number,
  ): Promise<PastIncident[]> {
    const found = await this.#incidents.find({
      organization_id: organizationId, started_at: { $gte: since, $lt: to }, source: 'system',
      $or: [{ resolved_at: null }, { resolved_at: { $gte: from } }],
    }).sort({ started_at: -1 }).limit(limit).project<PastDoc>(PAST).toArray();
    return found.reverse().map(viewPast);
  }

  /** Gives the cause to those of `ids` that have none. */
  async setCause(causeId: string, ids: string[]): Promise<void> {
    const change = { $set: { cause_id: causeId }, $inc: { revision: 1 } };
    await this.#incidents.updateMany({ _id: { $in: ids }, cause_id: { $exists: false } }, change);
  }

  /** Whether an incident of the cause is open or acknowledged. */
  async hasOpen(causeId: string): Promise<boolean> {
    const open = { cause_id: causeId, status: { $in: OPEN_STATUSES } };
    return await this.#incidents.findOne(open, { projection: { _id: 1 } }) !== null;
  }

  /** How many incidents of the cause are open or acknowledged, counted up to `limit`. */
  async countOpen(causeId: string, limit: number): Promise<number> {
    const open = this.#incidents.find({ cause_id: causeId, status: { $in: OPEN_STATUSES } });
    return (await open.limit(limit).project({ _id: 1 }).toArray()).length;
  }

  /** When the last incident of the cause ended, Unix ms; null without any. */
  async lastEnd(causeId: string): Promise<number | null> {
    const ended = { cause_id: causeId, resolved_at: { $gt: 0 } };
    return (await this.#incidents.findOne(ended, { sort: { resolved_at: -1 } }))?.resolved_at ?? null;
  }

  /** The project's incidents with these causes, in the order in which they began. */
  async ofCauses(tenant: Tenant, causeIds: string[]): Promise<CausedIncident[]> {
    if (causeIds.length === 0) return [];
    const found = await this.#incidents.find({ cause_id: { $in: causeIds }, ...ownedBy(tenant) })
      .sort({ started_at: 1, _id: 1 }).project<StartedDoc>(STARTED).toArray();
    return found.map(({ _id: id, check_id, cause_id = '' }) => ({ id, monitor_id: check_id ?? '', cause_id }));
  }

  async findMany(ids: string[]): Promise<IncidentDoc[]> {
    if (ids.length === 0) return [];
    return this.#incidents.find({ _id: { $in: ids } }).map(restoreIncident).toArray();
  }

  /** Returns those of `ids` that are open or acknowledged. */
  async openAmong(tenant: Tenant, ids: string[]): Promise<OpenIncident[]> {
    return ids.length === 0 ? [] : this.#open({ _id: { $in: ids }, ...ownedBy(tenant) });
  }

  /** Open or acknowledged incidents of a project, latest first. */
  openOf(tenant: Tenant): Promise<OpenIncident[]> {
    return this.#open(ownedBy(tenant));
  }

  /** How many incidents of the project are open or acknowledged. */
  async countOpenBySeverity(tenant: Tenant): Promise<Map<Severity, number>> {
    const open = this.#incidents.find({ ...ownedBy(tenant), status: { $in: OPEN_STATUSES } });
    const counts = new Map<Severity, number>();
    for (const { severity } of await open.project<Pick<IncidentDoc, 'severity'>>({ severity: 1 }).toArray()) {
      counts.set(severity, (counts.get(severity) ?? 0) + 1);
    }
    return counts;
  }

  /** Open or acknowledged incidents created through the API for these monitors, latest first. */
  openManualFor(tenant: Tenant, monitorIds: string[]): Promise<OpenIncident[]> {
    return this.#open({ ...ownedBy(tenant), check_id: { $in: monitorIds }, created_by: { $gt: '' } });
  }

  async #open(filter: Filter<IncidentDoc>): Promise<OpenIncident[]> {
    const found = await this.#incidents.find({ ...filter, status: { $in: OPEN_STATUSES } })
      .sort({ started_at: -1, _id: -1 }).limit(MAX_OPEN_INCIDENTS)
      .project<OpenDoc>({ status: 1, severity: 1, started_at: 1, check_id: 1 }).toArray();
    return found.map(({ _id: id, check_id: monitor_id, ...rest }) => ({ id, monitor_id, ...rest }));
  }

  /**
   * The organization's incidents that started and last changed before `before`, Unix ms, oldest first. Open
   * incidents only if none of `projectIds` has them.
   */
  async agedIds(
    organizationId: string, projectIds: string[], before: number, limit: number,
  ): Promise<string[]> {
    const filter: Filter<IncidentDoc> = {
      organization_id: organizationId, started_at: { $lt: before }, updated_at: { $lt: before },
      $or: [{ status: { $in: ['resolved', 'closed'] } }, { project_id: { $nin: projectIds } }],
    };
    const aged = this.#incidents.find(filter).sort({ started_at: 1 }).limit(limit);
    return (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  }

  async remove(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.#incidents.deleteMany({ _id: { $in: ids } });
  }
}

async function restored(read: Promise<IncidentDoc | null>): Promise<IncidentDoc | null> {
  const found = await read;
  return found && restoreIncident(found);
}

function listFilter(tenant: Tenant, query: IncidentQuery): Filter<IncidentDoc> {
  const { status, severity, source, check_id, from, to, search } = query;
  const filter: Filter<IncidentDoc> = ownedBy(tenant);
  if (status !== undefined) filter.status = status;
  if (severity !== undefined) filter.severity = severity;
  if (source !== undefined) filter.source = source;
  if (check_id !== undefined) filter.check_id = check_id;
  const since = from === undefined ? {} : { $gte: from };
  const until = to === undefined ? {} : { $lt: to };
  if (from !== undefined || to !== undefined) filter.started_at = { ...since, ...until };
  if (search !== undefined && search !== '') filter.search_text = { $regex: searchPattern(search) };
  return filter;
}

/** During maintenance, pages are notified only when it ends, unless they already posted the incident. */
function pagesDueAfter({ maintenance_until, notified_page_ids }: IncidentDoc): Pick<IncidentDoc, 'pages_due'> {
  const isDueNow = maintenance_until === undefined || notified_page_ids !== undefined;
  return isDueNow ? PAGES_DUE_NOW : { pages_due: maintenance_until };
}
