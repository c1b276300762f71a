import type { CausePlace, DeliveryDoc, DigestPlace } from '../../delivery/delivery.ts';
import { lineOf } from '../../delivery/delivery-rules.ts';
import type { WorkClaim } from '../../work/claimed-work.ts';

type Recipient = Pick<DeliveryDoc, 'destination_id' | 'recipient'>;

/** Deliveries of a rehearsal, in memory. Methods as of the store. */
export class RehearsedDeliveries {
  readonly #all = new Map<string, DeliveryDoc>();
  readonly #ofIncident = new Map<string, DeliveryDoc[]>();
  readonly #ofThread = new Map<string, Set<DeliveryDoc>>();
  readonly #firsts: DeliveryDoc[] = [];
  /** In order of their queue. */
  readonly #pending = new Set<DeliveryDoc>();

  /** The pending delivery that is due first, and when; each line is in order. Null if nothing is pending. */
  next(): { id: string; at: number } | null {
    const lines = new Set<string>();
    let next: { id: string; at: number } | null = null;
    for (const doc of this.#pending) {
      const line = lineOf(doc);
      if (lines.has(line)) continue;
      lines.add(line);
      const at = doc.next_attempt_at ?? 0;
      if (next === null || at < next.at) next = { id: doc._id, at };
    }
    return next;
  }

  async insertAbsent(docs: DeliveryDoc[]): Promise<void> {
    for (const doc of docs) {
      if (this.#all.has(doc._id)) continue;
      this.#all.set(doc._id, doc);
      if (doc.status === 'pending') this.#pending.add(doc);
      if (doc.digest_id !== undefined) this.#join(doc, doc.digest_id);
      const ofIncident = this.#ofIncident.get(doc.incident_id ?? '');
      if (ofIncident) ofIncident.push(doc);
      else this.#ofIncident.set(doc.incident_id ?? '', [doc]);
    }
  }

  async claim(id: string, claim: WorkClaim): Promise<DeliveryDoc | null> {
    const doc = this.#all.get(id);
    if (doc?.status !== 'pending') return null;
    const before = { ...doc };
    doc.claim = claim;
    return before;
  }

  async release(id: string): Promise<void> {
    this.#update(id, { claim: null });
  }

  async settle(id: string, _token: string, update: Partial<DeliveryDoc>): Promise<boolean> {
    this.#update(id, { ...update, claim: null });
    return true;
  }

  async settleAll(ids: string[], update: Partial<DeliveryDoc>): Promise<void> {
    for (const id of ids) {
      if (this.#all.get(id)?.status === 'pending') this.#update(id, { ...update, claim: null });
    }
  }

  async place(id: string, _token: string, cause: CausePlace): Promise<void> {
    this.#update(id, { cause });
    const doc = this.#all.get(id);
    if (doc && cause.first_of !== undefined) this.#firsts.push(doc);
  }

  async discard(id: string): Promise<void> {
    const doc = this.#all.get(id);
    if (!doc) return;
    this.#all.delete(id);
    this.#pending.delete(doc);
  }

  get(id: string): DeliveryDoc | null {
    return this.#all.get(id) ?? null;
  }

  async find(id: string): Promise<DeliveryDoc | null> {
    return this.get(id);
  }

  async startsOf(incidentId: string): Promise<DeliveryDoc[]> {
    const all = this.#ofIncident.get(incidentId) ?? [];
    return all.filter(({ reminder }) => reminder === undefined);
  }

  async suppressHeld(incidentId: string, update: Partial<DeliveryDoc>): Promise<void> {
    for (const doc of this.#ofIncident.get(incidentId) ?? []) {
      const { status, attempts, claim, held } = doc;
      const isHeld = status === 'pending' && attempts === 0 && claim === null && (held?.while ?? 'always') !== 'always';
      if (!isHeld) continue;
      if (doc.reminder !== undefined) await this.discard(doc._id);
      else this.#update(doc._id, update);
    }
  }

  async firsts(
    _to: Recipient, features: readonly string[], { from, to }: { from: number; to: number },
  ): Promise<DeliveryDoc[]> {
    const found = this.#firsts.filter(({ cause }) => {
      const { features: own = [], started_at = 0 } = cause ?? {};
      return started_at >= from && started_at <= to && own.some((one) => features.includes(one));
    });
    return found.toSorted(byQueue);
  }

  async unplaced(): Promise<DeliveryDoc[]> {
    return [...this.#pending].filter(({ attempts, alert, cause }) => (
      attempts === 0 && alert.event === 'monitor.down' && cause !== undefined && cause.id === undefined
      && cause.first_of === undefined
    ));
  }

  async joinThread(ids: string[], causeId: string, place: DigestPlace): Promise<void> {
    for (const id of ids) {
      const { status, cause } = this.#all.get(id) ?? {};
      if (status !== 'pending' || cause === undefined || cause.first_of !== undefined) continue;
      this.#update(id, { ...place, cause: { ...cause, id: causeId } });
    }
  }

  async ofDigest(digestId: string): Promise<DeliveryDoc[]> {
    return this.#inThread(digestId).filter(({ status }) => status === 'pending');
  }

  async inThread(threadId: string): Promise<DeliveryDoc[]> {
    return this.outagesIn(threadId);
  }

  /** The outages in a thread, in order. */
  outagesIn(threadId: string): DeliveryDoc[] {
    return this.#inThread(threadId).filter(({ alert }) => alert.event === 'monitor.down');
  }

  #inThread(threadId: string): DeliveryDoc[] {
    return [...this.#ofThread.get(threadId) ?? []].sort(byQueue);
  }

  #join(doc: DeliveryDoc, threadId: string): void {
    const members = this.#ofThread.get(threadId);
    if (members) members.add(doc);
    else this.#ofThread.set(threadId, new Set([doc]));
  }

  #update(id: string, update: Partial<DeliveryDoc>): void {
    const doc = this.#all.get(id);
    if (!doc) return;
    Object.assign(doc, update);
    if (doc.status !== 'pending') this.#pending.delete(doc);
    if (update.digest_id !== undefined) this.#join(doc, update.digest_id);
  }
}

function byQueue(one: DeliveryDoc, other: DeliveryDoc): number {
  return one.queued_at - other.queued_at || (one._id < other._id ? -1 : 1);
}
