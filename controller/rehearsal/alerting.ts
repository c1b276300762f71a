import { systemClock } from '../../shared/time.ts';
import { attemptDelivery } from '../delivery/attempt.ts';
import type { DeliveryDoc } from '../delivery/delivery.ts';
import { decisionOn, DOWN_INTERVAL_MS, MAX_CHECK_MS, type SeenMonitor } from '../dependencies/dependency-rules.ts';
import type { HeldAlert } from '../dependencies/held-alert.ts';
import { carryOut } from '../dependencies/held-alert-steps.ts';
import type { RelatedMonitor } from '../monitors/monitor.ts';
import { openAlerting, type AlertingDeps } from './alerting-parts.ts';
import type { MonitorEvent, Span } from './incident-events.ts';
import type { NotifiedOutage } from './outage-rules.ts';

export interface RehearsedAlertingDeps extends AlertingDeps {
  /** Monitors whose alerts are replayed, and their dependencies. */
  monitors: ReadonlyMap<string, RelatedMonitor>;
  alerted: ReadonlySet<string>;
  /** Whether outages of dependencies hold alerts. */
  heedsDependencies: boolean;
  /** Whether a check of the monitor in this time would fail, and would still fail at `now`, Unix ms. */
  isFailing(monitorId: string, between: Span, now: number): boolean;
}

/** A message to the receiver at `at`, Unix ms. A message about a cause has its first incident. */
export interface RehearsedMessage {
  at: number;
  monitor_id: string;
  incident_id: string;
  kind: 'down' | 'up' | 'reminder';
}

export interface RehearsedMessageWithCause extends RehearsedMessage {
  cause_id: string | null;
}

const GIVEN_UP = { status: 'failed', next_attempt_at: null } as const;

/** Runs the product's alerting on the events of monitors, in virtual time. */
export class RehearsedAlerting {
  readonly #deps: RehearsedAlertingDeps;
  readonly #parts: ReturnType<typeof openAlerting>;
  readonly #live = new Map<string, SeenMonitor>();
  /** As they were, because some were paused only later. */
  readonly #monitors: Map<string, RelatedMonitor>;
  readonly #messages: RehearsedMessage[] = [];
  /** Incidents with a message, and when the first one was sent. */
  readonly #notifiedAt = new Map<string, number>();
  /** Held alerts that only an event can change. */
  readonly #sleeping = new Set<string>();
  readonly #signal = new AbortController().signal;
  #now = 0;

  constructor(deps: RehearsedAlertingDeps) {
    this.#deps = deps;
    this.#monitors = new Map(deps.monitors);
    const clock = { ...systemClock, now: () => this.#now, monotonic: () => this.#now };
    this.#parts = openAlerting(deps, clock, (thread, isOver) => {
      this.#onThread(thread, isOver);
    });
  }

  /** The messages so far, in order. */
  async messages(): Promise<RehearsedMessageWithCause[]> {
    const found = await this.#parts.incidents.findMany(this.#messages.map(({ incident_id }) => incident_id));
    const causes = new Map(found.map(({ _id, cause_id }) => [_id, cause_id ?? null]));
    return this.#messages.map((one) => ({ ...one, cause_id: causes.get(one.incident_id) ?? null }));
  }

  /** The outages with messages so far. */
  async notified(): Promise<NotifiedOutage[]> {
    const found = await this.#parts.incidents.findMany([...this.#notifiedAt.keys()]);
    return found.map(({ _id, check_id, started_at: from, resolved_at: until }) => (
      { monitor_id: check_id ?? '', from, until, notified_at: this.#notifiedAt.get(_id) ?? 0 }
    ));
  }

  /** Adds the next event; times must not decrease. */
  async add(event: MonitorEvent): Promise<void> {
    await this.advanceTo(event.at);
    const { incidents, outbox, decider, alerts } = this.#parts;
    const { heedsDependencies, alerted } = this.#deps;
    switch (event.kind) {
      case 'open': await outbox.open(event.opening); break;
      case 'resolve': await outbox.resolve(event.resolution); break;
      case 'acknowledge': incidents.acknowledge(event.incident_id, event.at); break;
      case 'end_by_hand': {
        const causeId = incidents.endByHand(event.incident_id, event.at)?.cause_id;
        if (causeId !== undefined) await decider.endIfOver(causeId);
        break;
      }
      case 'alert':
        if (!alerted.has(event.monitor_id)) break;
        await (heedsDependencies ? alerts.gate : alerts.all).fanOut(event.alert);
        break;
      case 'status': this.#see(event);
    }
    await this.#wake(event);
  }

  /** Makes the decisions and attempts due by `until`, Unix ms. */
  async advanceTo(until: number): Promise<void> {
    for (;;) {
      const delivery = this.#parts.deliveries.next();
      const held = this.#nextHeld();
      const at = Math.min(delivery?.at ?? Infinity, held?.due_at ?? Infinity);
      if (at > until) break;
      this.#now = Math.max(this.#now, at);
      if (held && (held.due_at ?? 0) <= at) await this.#decideOn(held);
      else if (delivery) await this.#attempt(delivery.id);
    }
    this.#now = Math.max(this.#now, until);
  }

  #see(event: MonitorEvent & { kind: 'status' }): void {
    const { monitor_id: id, status } = event;
    this.#live.set(id, event);
    const monitor = this.#monitors.get(id);
    if (monitor) this.#monitors.set(id, { ...monitor, status: status === 'paused' ? status : 'active' });
  }

  #nextHeld(): HeldAlert | null {
    let next: HeldAlert | null = null;
    for (const held of this.#parts.held.due) {
      if (this.#sleeping.has(held._id)) continue;
      if (next === null || (held.due_at ?? 0) < (next.due_at ?? 0)) next = held;
    }
    return next;
  }

  async #decideOn(held: HeldAlert): Promise<void> {
    const { isFailing } = this.#deps;
    const { _id: id, held_at: from } = held;
    const known = { monitors: this.#monitors, live: this.#live };
    const decision = decisionOn(held, known, this.#now, (dependencyId) => (
      isFailing(dependencyId, { from, until: from + MAX_CHECK_MS }, this.#now)
    ));
    if (decision.kind === 'wait' || (decision.kind === 'hold' && decision.change.was_down)) this.#sleeping.add(id);
    await carryOut(this.#parts.steps, held, decision, undefined);
  }

  /** Schedules held alerts that the event may change for their next decision. */
  async #wake({ at, monitor_id: monitorId }: MonitorEvent): Promise<void> {
    for (const held of this.#parts.held.due) {
      if (!this.#sleeping.has(held._id)) continue;
      const { depends_on = [] } = this.#deps.monitors.get(held.monitor_id) ?? {};
      if (held.monitor_id !== monitorId && !depends_on.includes(monitorId)) continue;
      this.#sleeping.delete(held._id);
      const turns = Math.max(0, Math.ceil((at - (held.due_at ?? at)) / DOWN_INTERVAL_MS));
      await this.#parts.held.postpone([held._id], (held.due_at ?? at) + turns * DOWN_INTERVAL_MS);
    }
  }

  async #attempt(id: string): Promise<void> {
    const { deliveries, attempt } = this.#parts;
    const before = { ...await deliveries.find(id) as DeliveryDoc };
    const { outcome } = await attemptDelivery(attempt, { id }, this.#signal);
    const after = await deliveries.find(id);
    if (outcome.kind === 'sent' && after?.digest_id === undefined) this.#onSent(before);
    if (after?.status !== 'pending' || (after.next_attempt_at ?? 0) > this.#now) return;
    // It became part of a message that is due.
    if (after.digest_id !== before.digest_id) return;
    // No other controller delivers here: what is still due is never sent unless it waits for a known time.
    const readyAt = outcome.kind === 'again' ? outcome.readyAt ?? 0 : 0;
    await deliveries.settle(id, '', readyAt > this.#now ? { next_attempt_at: readyAt } : GIVEN_UP);
  }

  #onSent({ alert, incident_id, monitor_id, reminder }: DeliveryDoc): void {
    const isOutage = alert.event === 'monitor.down';
    const kind = reminder !== undefined ? 'reminder' : isOutage ? 'down' : 'up';
    this.#messages.push({ at: this.#now, monitor_id: monitor_id ?? '', incident_id: incident_id ?? '', kind });
    if (isOutage) this.#notify(incident_id);
  }

  #onThread({ first_id, _id }: { first_id: string; _id: string }, isOver: boolean): void {
    const first = this.#parts.deliveries.get(first_id);
    this.#messages.push({
      at: this.#now, monitor_id: first?.monitor_id ?? '', incident_id: first?.incident_id ?? '',
      kind: isOver ? 'up' : 'down',
    });
    for (const { incident_id } of this.#parts.deliveries.outagesIn(_id)) this.#notify(incident_id);
  }

  #notify(incidentId: string | null): void {
    if (incidentId !== null && !this.#notifiedAt.has(incidentId)) this.#notifiedAt.set(incidentId, this.#now);
  }
}
