import type { Collection, Db, Filter } from 'mongodb';
import type { AlertDetails, RegionName } from '../destinations/channels/alert.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { ensureIndexes } from '../platform/mongo/indexes.ts';
import { duplicatesOnly } from '../platform/mongo/mongo-errors.ts';
import { each, removeOlder, restoring } from '../platform/mongo/documents.ts';
import type { WorkClaim } from '../work/claimed-work.ts';
import {
  type CausePlace, DELIVERY_STATUSES, type DeliveryDoc, type DigestPlace, type LogQuery, type QueuedDelivery,
} from './delivery.ts';
import { type DeliveryUpdate, lineOf, type suppressed } from './delivery-rules.ts';

/** Limit per query. */
const MAX_OPENINGS = 2000;

type WaitingDestination = Pick<DeliveryDoc, '_id' | 'organization_id' | 'project_id'>;
type SettledFields = Partial<DeliveryUpdate & DigestPlace & Pick<DeliveryDoc, 'cause'>>;

/** Fields of a `QueuedDelivery`. */
const QUEUED = {
  monitor_id: 1, probe_id: 1, channel: 1, recipient: 1, next_attempt_at: 1, claim: 1, digest_at: 1, held: 1,
  cause: 1,
} as const;

/** Collection `deliveries`: pending deliveries and the notification log. */
export class DeliveryStore {
  readonly #deliveries: Collection<DeliveryDoc>;

  constructor(db: Db) {
    this.#deliveries = db.collection<DeliveryDoc>('deliveries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.#deliveries, [
      // Reads a destination's pending deliveries in order.
      { key: { destination_id: 1, status: 1, queued_at: 1, _id: 1 }, name: 'queue' },
      // Reads the notification log of an incident.
      { key: { incident_id: 1, created_at: -1, _id: -1 }, name: 'log' },
      // Reads the deliveries of a digest.
      { key: { digest_id: 1, queued_at: 1, _id: 1 }, name: 'digest', sparse: true },
      // Finds the alerts that others of their cause follow.
      { key: { 'cause.first_of': 1, 'cause.started_at': 1 }, name: 'firsts', sparse: true },
      // Removes old deliveries.
      { key: { created_at: 1 }, name: 'age' },
    ]);
  }

  /** Skips documents that already exist. */
  async insertAbsent(docs: DeliveryDoc[]): Promise<void> {
    if (docs.length === 0) return;
    try {
      await this.#deliveries.insertMany(docs, { ordered: false });
    } catch (error) {
      if (!duplicatesOnly(error)) throw error;
    }
  }

  /** The oldest pending deliveries of a destination, in order. Their `readyAt` ignores claims. */
  async pending(destinationId: string, limit: number): Promise<QueuedDelivery[]> {
    const all = this.#deliveries.find({ destination_id: destinationId, status: 'pending' });
    const oldest = all.sort({ queued_at: 1, _id: 1 }).limit(limit);
    const found = await oldest.project<Pick<DeliveryDoc, '_id' | keyof typeof QUEUED>>(QUEUED).toArray();
    return found.map((doc) => {
      const notBefore = doc.digest_at ?? doc.held?.until;
      const waiting = notBefore === undefined ? {} : { notBefore };
      const claimed = doc.claim ? { claim: doc.claim } : {};
      return { id: doc._id, line: lineOf(doc), readyAt: doc.next_attempt_at ?? 0, ...claimed, ...waiting };
    });
  }

  /**
   * Claims a free delivery or one with the claim `expired`, and returns it as it was before. Null if somebody
   * else holds it or it is no longer pending.
   */
  async claim(id: string, claim: WorkClaim, expired: WorkClaim | null): Promise<DeliveryDoc | null> {
    const isFree = expired ? { $or: [{ claim: null }, { 'claim.token': expired.token }] } : { claim: null };
    const found = await this.#deliveries.findOneAndUpdate(
      { _id: id, status: 'pending', ...isFree },
      { $set: { claim } },
      { returnDocument: 'before' },
    );
    return found && restoreDelivery(found);
  }

  /** Records the outcome of an attempt. Does nothing and returns false if the claim was lost. */
  async settle(id: string, token: string, update: SettledFields): Promise<boolean> {
    const change = { $set: { ...update, claim: null } };
    return (await this.#deliveries.updateOne({ _id: id, 'claim.token': token }, change)).matchedCount === 1;
  }

  /** Records how a claimed delivery is grouped. */
  async place(id: string, token: string, cause: CausePlace): Promise<void> {
    await this.#deliveries.updateOne({ _id: id, 'claim.token': token }, { $set: { cause } });
  }

  /**
   * Alerts to the same recipient that others follow, oldest first: of outages that share one of `features`
   * and began between `from` and `to`, Unix ms.
   */
  firsts(
    { destination_id, recipient }: Pick<DeliveryDoc, 'destination_id' | 'recipient'>, features: readonly string[],
    { from, to }: { from: number; to: number },
  ): Promise<DeliveryDoc[]> {
    const found = this.#deliveries.find({
      'cause.first_of': destination_id, 'cause.started_at': { $gte: from, $lte: to }, recipient,
      'cause.features': { $in: [...features] },
    });
    return found.sort({ queued_at: 1, _id: 1 }).limit(MAX_OPENINGS).map(restoreDelivery).toArray();
  }

  find(id: string): Promise<DeliveryDoc | null> {
    return this.#deliveries.findOne({ _id: id }).then((found) => found && restoreDelivery(found));
  }

  /** Outages to a recipient that wait to be sent by themselves or with others. */
  unplaced({ destination_id, recipient }: Pick<DeliveryDoc, 'destination_id' | 'recipient'>): Promise<DeliveryDoc[]> {
    const found = this.#deliveries.find({
      destination_id, status: 'pending', recipient, attempts: 0, 'alert.event': 'monitor.down',
      'cause.started_at': { $gt: 0 }, 'cause.id': { $exists: false }, 'cause.first_of': { $exists: false },
    } as Filter<DeliveryDoc>);
    return found.limit(MAX_OPENINGS).map(restoreDelivery).toArray();
  }

  /** Makes unplaced deliveries part of a thread. */
  async joinThread(ids: string[], causeId: string, place: DigestPlace): Promise<void> {
    if (ids.length === 0) return;
    const unplaced = { _id: { $in: ids }, status: 'pending', 'cause.first_of': { $exists: false } } as const;
    await this.#deliveries.updateMany(unplaced, { $set: { 'cause.id': causeId, ...place } });
  }

  /** The outages in a thread, oldest first. */
  inThread(threadId: string): Promise<Pick<DeliveryDoc, 'incident_id' | 'monitor_id' | 'alert'>[]> {
    const outages = { digest_id: threadId, 'alert.event': 'monitor.down' } as const;
    return this.#deliveries.find(outages as Filter<DeliveryDoc>).sort({ queued_at: 1, _id: 1 })
      .project<Pick<DeliveryDoc, 'incident_id' | 'monitor_id' | 'alert'>>({ incident_id: 1, monitor_id: 1, alert: 1 })
      .toArray();
  }

  /** Releases the claim of an attempt that sent nothing. */
  async release(id: string, token: string): Promise<void> {
    await this.#deliveries.updateOne({ _id: id, 'claim.token': token }, { $set: { claim: null } });
  }

  /** Pending deliveries of a digest, oldest first. */
  ofDigest(digestId: string): Promise<DeliveryDoc[]> {
    const pending = this.#deliveries.find({ digest_id: digestId, status: 'pending' });
    return pending.sort({ queued_at: 1, _id: 1 }).map(restoreDelivery).toArray();
  }

  /** Records the outcome for those of `ids` that are still pending. */
  async settleAll(ids: string[], update: Partial<DeliveryUpdate>): Promise<void> {
    const change = { $set: { ...update, claim: null } };
    await this.#deliveries.updateMany({ _id: { $in: ids }, status: 'pending' }, change);
  }

  /**
   * What was sent about these incidents by itself and matches `only`, without reminders. Oldest first.
   */
  async openings(incidentIds: string[], only: Filter<DeliveryDoc>): Promise<DeliveryDoc[]> {
    if (incidentIds.length === 0) return [];
    const sent: Filter<DeliveryDoc> = {
      incident_id: { $in: incidentIds }, status: { $ne: 'suppressed' }, reminder: { $exists: false },
      'cause.id': { $exists: false },
      $or: [{ held: { $exists: false }, 'cause.waits_until': { $exists: false } }, { attempts: { $gt: 0 } }],
    };
    const found = this.#deliveries.find({ ...sent, ...only });
    return found.sort({ created_at: 1, _id: 1 }).limit(MAX_OPENINGS).map(restoreDelivery).toArray();
  }

  /** All deliveries of an incident but reminders, oldest first. */
  startsOf(incidentId: string): Promise<DeliveryDoc[]> {
    const found = this.#deliveries.find({ incident_id: incidentId, reminder: { $exists: false } });
    return found.sort({ created_at: 1, _id: 1 }).limit(MAX_OPENINGS).map(restoreDelivery).toArray();
  }

  /** Ends the held outages of an incident that no attempt has claimed, and removes its reminders. */
  async suppressHeld(incidentId: string, update: ReturnType<typeof suppressed>): Promise<void> {
    const held: Filter<DeliveryDoc> = {
      incident_id: incidentId, status: 'pending', attempts: 0, claim: null, 'held.while': { $in: ['ongoing', 'open'] },
    };
    await this.#deliveries.deleteMany({ ...held, reminder: { $exists: true } });
    await this.#deliveries.updateMany(held, { $set: update });
  }

  /** Ends the wait of these incidents' outages for a diagnosis at `now`; returns their destinations. */
  async endDiagnosisWait(incidentIds: string[], now: number): Promise<WaitingDestination[]> {
    const waiting: Filter<DeliveryDoc> = {
      incident_id: { $in: incidentIds }, status: 'pending', attempts: 0, digest_id: { $exists: false },
      diagnosis_at: { $gt: now },
    };
    const found = await this.#deliveries.find(waiting).limit(MAX_OPENINGS).toArray();
    if (found.length === 0) return [];
    await this.#deliveries.updateMany(waiting, { $set: { next_attempt_at: now } });
    const byId = new Map(found.map((one) => [one.destination_id, one]));
    return [...byId.values()].map(({ destination_id: _id, organization_id, project_id }) =>
      ({ _id, organization_id, project_id }));
  }

  /** Removes a claimed delivery. */
  async discard(id: string, token: string): Promise<void> {
    await this.#deliveries.deleteOne({ _id: id, 'claim.token': token });
  }

  /** Returns one page, newest first, and the total number of matches. */
  async ofIncident(tenant: Tenant, incidentId: string, query: LogQuery) {
    const { status, channel, page, pageSize } = query;
    const filter: Filter<DeliveryDoc> = { incident_id: incidentId, ...ownedBy(tenant) };
    if (status !== undefined) filter.status = status;
    if (channel !== undefined) filter.channel = channel;
    const newest = this.#deliveries.find(filter).sort({ created_at: -1, _id: -1 });
    const [deliveries, total] = await Promise.all([
      newest.skip((page - 1) * pageSize).limit(pageSize).map(restoreDelivery).toArray(),
      this.#deliveries.countDocuments(filter),
    ]);
    return { deliveries, total };
  }

  /** Newest first. */
  async ofDestination(destinationId: string, limit: number): Promise<DeliveryDoc[]> {
    // The index sorts only within each status.
    const read = (status: DeliveryDoc['status']) =>
      this.#deliveries.find({ destination_id: destinationId, status })
        .sort({ queued_at: -1, _id: -1 }).limit(limit).map(restoreDelivery).toArray();
    const newest = (await Promise.all(DELIVERY_STATUSES.map(read))).flat();
    return newest.sort((one, other) => other.queued_at - one.queued_at).slice(0, limit);
  }

  /** Removes up to `limit` deliveries created before `before`, Unix ms; returns how many. */
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.#deliveries, before, limit);
  }
}

const restoreNames = each(restoring<RegionName>({ city: null }));

/** Restores null fields that the database omits. */
const restoreDelivery = restoring<DeliveryDoc>({
  monitor_id: null, incident_id: null, next_attempt_at: null, claim: null, delivered_at: null,
  last_retry_at: null, error_message: null,
}, {
  alert: restoring<AlertDetails>({ monitor: null, incident: null, error: null, last_success: null }, {
    probe: restoring<NonNullable<AlertDetails['probe']>>({ reason: null }),
    incident: restoring<NonNullable<AlertDetails['incident']>>({ resolved_at: null }),
    last_success: restoring<NonNullable<AlertDetails['last_success']>>({ response_time_ms: null }),
    regions: restoreNames,
    votes: restoring<NonNullable<AlertDetails['votes']>>(
      {}, { down: restoreNames, up: restoreNames, rechecking: restoreNames, silent: restoreNames },
    ),
  }),
});
