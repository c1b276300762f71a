import type { Clock } from '../../../shared/time.ts';
import type { CauseDoc } from '../../causes/cause.ts';
import { CAUSE_WINDOW_MS, isCommon, MIN_MONITORS } from '../../causes/cause-rules.ts';
import { opensAt } from '../../destinations/hours.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { ClaimedDelivery } from '../attempt-steps.ts';
import type { CausePlace, DeliveryDoc } from '../delivery.ts';
import { outageOf } from '../delivery-rules.ts';
import type { AttemptOutcome } from '../queue-rules.ts';
import type { DeliveryStore } from '../store.ts';
import { MAX_WAIT_MS, nextMessageAt } from './placement-rules.ts';
import { threadIdOf, type ThreadDoc, type ThreadStore } from './thread-store.ts';

export interface PlacementDeps {
  deliveries: Pick<DeliveryStore, 'settle' | 'place' | 'firsts' | 'unplaced' | 'joinThread' | 'ofDigest' | 'inThread'>;
  threads: Pick<ThreadStore, 'find' | 'open'>;
  causes: { find(id: string): Promise<CauseDoc | null> };
  incidents: {
    findMany(ids: string[]): Promise<{ _id: string; cause_id?: string }[]>;
    hasOpen(causeId: string): Promise<boolean>;
    /** At most `limit`. */
    countOpen(causeId: string, limit: number): Promise<number>;
  };
  monitors: {
    counts(
      organizationId: string, features: readonly string[], limitOf: (feature: string) => number,
    ): Promise<Map<string, number>>;
    total(organizationId: string): Promise<number>;
  };
  clock: Clock;
}

type Grouped = DeliveryDoc & { cause: CausePlace; incident_id: string };

/**
 * Groups the alerts of a destination by their causes: the first goes out at once. Those that may have a cause
 * in common with it wait until that is decided, and then become part of a message about all of them.
 */
export class Placement {
  readonly #deps: PlacementDeps;
  /** By destination, the placement that the next one waits for. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(deps: PlacementDeps) {
    this.#deps = deps;
  }

  /** Null if the delivery is sent by itself now. Otherwise it is settled, until its outcome's `readyAt`. */
  async place(claimed: ClaimedDelivery, destination: DestinationDoc): Promise<AttemptOutcome | null> {
    const { delivery, token } = claimed;
    if (!isToBePlaced(delivery)) return null;
    return this.#inTurn(destination._id, () => this.#place(delivery, token, destination));
  }

  /**
   * Makes what is not placed yet part of the cause's thread if its incident has the cause. Returns what is
   * pending in the thread, and all outages of the cause that the recipient is notified of; nothing joins the
   * thread in between.
   */
  adopt(thread: ThreadDoc, cause: CauseDoc) {
    return this.#inTurn(thread.destination_id, async () => {
      const { clock, deliveries } = this.#deps;
      const now = clock.now();
      const unplaced = (await deliveries.unplaced(thread)).filter(({ held }) => (held?.until ?? 0) <= now);
      const members = await this.#membersAmong(unplaced, cause._id);
      const adopted = members.filter(({ reminder }) => reminder === undefined);
      const place = { digest_id: thread._id, digest_at: now };
      await deliveries.joinThread(adopted.map(({ _id }) => _id), thread.cause_id, place);
      const pending = await deliveries.ofDigest(thread._id);
      const span = { from: cause.started_at, to: now };
      const firsts = await deliveries.firsts(thread, [`${cause.kind}:${cause.value}`], span);
      const separate = await this.#membersAmong(firsts, cause._id);
      return { pending, outages: [...separate, ...await deliveries.inThread(thread._id)] };
    });
  }

  /** One after the other for each destination, because two at once would both be the first. */
  async #inTurn<T>(destinationId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(destinationId) ?? Promise.resolve();
    const done = before.catch(() => undefined).then(work);
    this.#last.set(destinationId, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(destinationId) === done) this.#last.delete(destinationId);
    }
  }

  async #place(
    delivery: Grouped, token: string, destination: DestinationDoc,
  ): Promise<AttemptOutcome | null> {
    const { clock, deliveries, incidents } = this.#deps;
    const { _id: id, cause, incident_id } = delivery;
    const [incident] = await incidents.findMany([incident_id]);
    const known = incident?.cause_id;
    if (known !== undefined) {
      const thread = await this.#threadOf(known, delivery);
      if (thread) return this.#join(delivery, token, thread, destination);
    }
    if (outageOf(delivery.alert) !== null) return null;
    const { waits_until = dueFrom(delivery) + MAX_WAIT_MS, ...unplaced } = cause;
    const mayWait = known === undefined && clock.now() < waits_until && await this.#hasLikelyCause(delivery);
    if (!mayWait) {
      await deliveries.place(id, token, { ...unplaced, first_of: delivery.destination_id });
      return null;
    }
    await deliveries.settle(id, token, { cause: { ...unplaced, waits_until }, next_attempt_at: waits_until });
    return { kind: 'again', readyAt: waits_until };
  }

  /** Whether an alert before it has a feature in common with it that enough monitors have. */
  async #hasLikelyCause(delivery: Grouped): Promise<boolean> {
    const { monitors } = this.#deps;
    const { organization_id: organizationId, cause: { features } } = delivery;
    const firsts = await this.#firstsOf(delivery, features, delivery.cause.started_at);
    const shared = features.filter((one) => firsts.some(({ cause }) => cause?.features.includes(one)));
    if (shared.length === 0) return false;
    const counts = await monitors.counts(
      organizationId, shared, (one) => (isCommon(one) ? Infinity : MIN_MONITORS),
    );
    const total = shared.some(isCommon) ? await monitors.total(organizationId) : 0;
    return shared.some((one) => {
      const count = counts.get(one) ?? 0;
      return count >= MIN_MONITORS && (!isCommon(one) || count < total);
    });
  }

  /** The thread of the cause to this recipient; null if the recipient knows of no other outage of it. */
  async #threadOf(causeId: string, delivery: Grouped): Promise<ThreadDoc | null> {
    const { causes, threads } = this.#deps;
    const thread = await threads.find(threadIdOf(causeId, delivery));
    if (thread || outageOf(delivery.alert) !== null) return thread;
    const cause = await causes.find(causeId);
    if (cause === null) return null;
    const firsts = await this.#firstsOf(delivery, [`${cause.kind}:${cause.value}`], cause.started_at);
    const [first] = await this.#membersAmong(firsts, causeId);
    if (!first) return null;
    const { destination_id, recipient, organization_id } = first;
    return threads.open({
      _id: threadIdOf(causeId, first), cause_id: causeId, organization_id, destination_id, recipient,
      first_id: first._id, first_at: dueFrom(first), messages: 0, last_at: null, is_over: false,
    });
  }

  /** Those whose incidents have the cause. */
  async #membersAmong(all: DeliveryDoc[], causeId: string): Promise<DeliveryDoc[]> {
    const found = await this.#deps.incidents.findMany(all.flatMap(({ incident_id }) => incident_id ?? []));
    const members = new Set(found.flatMap(({ _id, cause_id }) => (cause_id === causeId ? [_id] : [])));
    return all.filter(({ incident_id }) => members.has(incident_id ?? ''));
  }

  /** Those of outages that began up to a window before `since` or after the delivery's, Unix ms. */
  #firstsOf(delivery: Grouped, features: readonly string[], since: number): Promise<DeliveryDoc[]> {
    const { started_at: at } = delivery.cause;
    const span = { from: Math.min(since, at) - CAUSE_WINDOW_MS, to: at + CAUSE_WINDOW_MS };
    return this.#deps.deliveries.firsts(delivery, features, span);
  }

  async #join(
    { _id: id, cause }: Grouped, token: string, thread: ThreadDoc, { hours }: DestinationDoc,
  ): Promise<AttemptOutcome> {
    const now = this.#deps.clock.now();
    const due = nextMessageAt(thread, await this.#progressOf(thread.cause_id), now);
    const digest_at = hours ? opensAt(hours, due) : due;
    await this.#deps.deliveries.settle(id, token, {
      cause: { ...cause, id: thread.cause_id }, digest_id: thread._id, digest_at, next_attempt_at: digest_at,
    });
    return { kind: 'again', readyAt: digest_at };
  }

  async #progressOf(causeId: string) {
    const { causes, incidents } = this.#deps;
    const having = (await causes.find(causeId))?.monitors_having ?? Infinity;
    // Counting more would cost more than the message is worth.
    const isSmall = having <= MAX_COUNTED;
    const isComplete = isSmall && await incidents.countOpen(causeId, having) >= having;
    return { isComplete, isOver: !(await incidents.hasOpen(causeId)) };
  }
}

/** When the delivery was due first, Unix ms. */
function dueFrom({ queued_at, held }: DeliveryDoc): number {
  return Math.max(queued_at, held?.until ?? 0);
}

/** Above this, a summary is not sent early. */
const MAX_COUNTED = 500;

function isToBePlaced(delivery: DeliveryDoc): delivery is Grouped {
  const { cause, incident_id, reminder, attempts, digest_id } = delivery;
  if (cause === undefined || incident_id === null || digest_id !== undefined) return false;
  return cause.first_of === undefined && reminder === undefined && attempts === 0;
}
