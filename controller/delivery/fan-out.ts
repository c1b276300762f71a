import { derivedId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { tenantOf } from '../access/tenant.ts';
import type { AlertDetails } from '../destinations/channels/alert.ts';
import { incidentState } from '../destinations/channels/incident-state.ts';
import { groupingOf, hasRecipients } from '../destinations/channels/registry.ts';
import { matchesFilter } from '../destinations/conditions.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { ProbeNotice } from '../probes/notice-rules.ts';
import type { AlertsPort, Alert } from '../verdicts/effect.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { CausePlace, DeliveryDoc } from './delivery.ts';
import type { MailWindowStore } from './digests/window-store.ts';
import type { CauseReader, DestinationReader, RegionNaming } from './ports.ts';
import type { QueueStore } from './queue-store.ts';
import { holdOf, outageOf, recipientsOf, subscribed, suppressed, unsent, type Outage } from './delivery-rules.ts';
import type { DeliveryStore } from './store.ts';

interface FanOutDeps {
  destinations: Pick<DestinationReader, 'named' | 'defaults' | 'ofOrganization'>;
  deliveries: Pick<DeliveryStore, 'insertAbsent' | 'startsOf' | 'suppressHeld'>;
  incidents: {
    /** Null if it was deleted. */
    findById(id: string): Promise<FoundIncident | null>;
  };
  causes: Pick<CauseReader, 'find'>;
  /** Null for a monitor that was deleted. */
  groupingOf(monitorId: string): Promise<{ tags: string[]; groupIds: string[] } | null>;
  queues: Pick<QueueStore, 'wake'>;
  windows: Pick<MailWindowStore, 'admit'>;
  regions: RegionNaming;
  /** Notifies the controllers that serve these destinations. The message may get lost. */
  notify(destinationIds: string[]): void;
  /** When diagnoses in progress can be known at the earliest, Unix ms, by monitor. */
  underDiagnosis: ReadonlyMap<string, number>;
  clock: Clock;
}

/** An alert waits this long after its outage opened for what a diagnosis says. */
const MAX_DIAGNOSIS_WAIT_MS = 1000;

interface FoundIncident {
  started_at: number;
  created_at: number;
  diagnosis?: object;
  features?: string[];
  cause_id?: string;
}

/** Turns alerts into deliveries. Calls are idempotent, even after a crash halfway. */
export class FanOut implements AlertsPort {
  readonly #deps: FanOutDeps;
  readonly #timers = new Set<Timer>();
  #lastQueuedAt = 0;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  async fanOut(alert: Alert): Promise<void> {
    const found = alert.incident && await this.#deps.incidents.findById(alert.incident.id);
    const details = await this.#withCause(alertDetails(alert, this.#deps.regions), found);
    const matching = await this.#matching(alert, await this.#destinationsOf(alert));
    const { incident, monitor } = alert;
    const outage = outageOf(alert);
    const isOver = outage !== null && incident !== null;
    const notified = isOver ? await this.#notifiedOf(incident.id, monitor) : null;
    const destinations = notified === null
      ? matching
      : [...notified, ...matching.filter(({ events }) => !events.includes(outage as Outage))];
    const waitsUntil = found && this.#diagnosisWait(alert, found);
    const place = found && placeOf(details, found);
    await this.#queue(details, subscribed(destinations, alert), { place, waitsUntil });
  }

  /** Until when an outage waits for its diagnosis, Unix ms; null if it does not. */
  #diagnosisWait({ event, monitor }: Alert, { created_at, diagnosis }: FoundIncident): number | null {
    const until = created_at + MAX_DIAGNOSIS_WAIT_MS;
    const knownAt = this.#deps.underDiagnosis.get(monitor.monitor_id) ?? Infinity;
    const isAwaited = event === 'monitor.down' && !diagnosis && knownAt < until;
    return isAwaited && until > this.#deps.clock.now() ? until : null;
  }

  async #withCause(details: AlertDetails, incident: FoundIncident | null): Promise<AlertDetails> {
    if (incident?.cause_id === undefined || details.incident === null) return details;
    const found = await this.#deps.causes.find(incident.cause_id);
    const cause = found && { id: found._id, kind: found.kind, value: found.value };
    return { ...details, incident: { ...details.incident, cause } };
  }

  /** Logs for each destination why it does not get the alert yet. Calls are idempotent. */
  async logHeld(alert: Alert, reason: string): Promise<void> {
    const { deliveries, regions, clock } = this.#deps;
    const now = clock.now();
    const matching = await this.#matching(alert, await this.#destinationsOf(alert));
    await deliveries.insertAbsent(subscribed(matching, alert)
      .flatMap((one) => newDeliveries(alertDetails(alert, regions), one, { now, queuedAt: now }))
      .map(({ held: _held, ...delivery }) => (
        { ...delivery, ...suppressed(reason, now), _id: derivedId(delivery._id, 'held') }
      )));
  }

  /**
   * The destinations to which an outage was sent; null if it caused no alert, as while its monitor was
   * flapping. Ends what is still held.
   */
  async #notifiedOf(incidentId: string, monitor: MonitorConfig): Promise<DestinationDoc[] | null> {
    const { deliveries, destinations, clock } = this.#deps;
    await deliveries.suppressHeld(incidentId, suppressed('the incident ended first', clock.now()));
    const outages = (await deliveries.startsOf(incidentId)).filter(({ alert }) => outageOf(alert) === null);
    if (outages.length === 0) return null;
    const ids = outages.filter(({ status }) => status !== 'suppressed').map((one) => one.destination_id);
    return destinations.named(tenantOf(monitor), [...new Set(ids)]);
  }

  async #matching({ monitor, severity = 'warning' }: Alert, all: DestinationDoc[]): Promise<DestinationDoc[]> {
    if (all.every(({ filter }) => !filter)) return all;
    const grouping = await this.#deps.groupingOf(monitor.monitor_id) ?? { tags: [], groupIds: [] };
    const filtered = { monitorId: monitor.monitor_id, severity, ...grouping };
    return all.filter(({ filter }) => matchesFilter(filter, filtered));
  }

  /** Queues the notice for all destinations of the organization that subscribe to its event. */
  async fanOutProbeNotice(notice: ProbeNotice, organizationId: string): Promise<void> {
    const { clock, destinations, regions } = this.#deps;
    const details = probeDetails(notice, regions, clock.now());
    const filtered = { monitorId: null, tags: [], groupIds: [], severity: incidentState(details).severity };
    const matching = (await destinations.ofOrganization(organizationId))
      .filter(({ filter }) => matchesFilter(filter, filtered));
    await this.#queue(details, subscribed(matching, notice));
  }

  async #queue(details: AlertDetails, destinations: DestinationDoc[], plan: Plan = {}): Promise<void> {
    const { deliveries, queues, notify, clock } = this.#deps;
    if (destinations.length === 0) return;
    const now = clock.now();
    // Strictly increasing, so that alerts keep their order within a millisecond and after clock changes.
    this.#lastQueuedAt = Math.max(now, this.#lastQueuedAt + 1);
    const times = { now, queuedAt: this.#lastQueuedAt };
    const fresh = destinations.flatMap((one) => newDeliveries(details, one, { ...times, ...plan }));
    await deliveries.insertAbsent(await Promise.all(fresh.map((one) => this.#withDigestPlace(one, now))));
    // After inserting the deliveries, because a queue that is woken first may be found empty.
    await queues.wake(destinations, now);
    const ids = destinations.map((destination) => destination._id);
    notify(ids);
    if (plan.waitsUntil) this.#notifyLater(ids, plan.waitsUntil - now);
  }

  /** The poll finds them as well, up to a second later. */
  #notifyLater(destinationIds: string[], delayMs: number): void {
    const timer = this.#deps.clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      this.#deps.notify(destinationIds);
    });
    this.#timers.add(timer);
  }

  /** Moves an email beyond the hourly limit of its address into a digest. */
  async #withDigestPlace(delivery: DeliveryDoc, now: number): Promise<DeliveryDoc> {
    const { _id, channel, organization_id: organizationId, recipient: address } = delivery;
    // What is held or grouped gets its place when it is sent by itself.
    const isLater = delivery.held !== undefined || delivery.cause !== undefined;
    if (channel !== 'email' || delivery.status !== 'pending' || isLater) return delivery;
    const place = await this.#deps.windows.admit({ organizationId, address }, _id, now);
    return place === null ? delivery : { ...delivery, ...place, next_attempt_at: place.digest_at };
  }

  /** Falls back to the defaults if all destinations of the monitor were deleted, rather than send nothing. */
  async #destinationsOf({ monitor }: Alert): Promise<DestinationDoc[]> {
    const { destinations } = this.#deps;
    const tenant = tenantOf(monitor);
    const ids = monitor.notification_target_ids;
    const named = ids.length > 0 ? await destinations.named(tenant, ids) : [];
    return named.length > 0 ? named : destinations.defaults(tenant);
  }
}

function alertDetails(alert: Alert, regions: RegionNaming): AlertDetails {
  const { id, event, incident, error, severity, at, expiry, problem, flapping, reopened, votes } = alert;
  const { last_success = null } = alert;
  const { monitor_id, name, target, type, runbook_url = null } = alert.monitor;
  return {
    id, event, monitor: { id: monitor_id, name, target, type, runbook_url }, incident, error,
    regions: regions.named(alert.regions), last_success, at,
    ...(votes ? { votes: {
      down: regions.named(votes.down), up: regions.named(votes.up),
      rechecking: regions.named(votes.rechecking), silent: regions.named(votes.silent),
    } } : {}),
    ...(expiry ? { expiry } : {}), ...(problem ? { problem } : {}), ...(flapping ? { flapping } : {}),
    ...(reopened ? { reopened } : {}), ...(severity ? { severity } : {}),
  };
}

function probeDetails(
  { event, probe, since, reason }: ProbeNotice, regions: RegionNaming, at: number,
): AlertDetails {
  const { _id: id, name, region_id } = probe;
  return {
    id: derivedId(id, event, String(since)), event, monitor: null, probe: { id, name, since, reason },
    incident: null, error: null, regions: regions.named([region_id]), last_success: null, at,
  };
}

/** Null for alerts that have no cause in common with others. */
function placeOf({ event }: AlertDetails, { features = [], started_at }: FoundIncident): CausePlace | null {
  const isGrouped = (event === 'monitor.down' || event === 'monitor.up') && features.length > 0;
  return isGrouped ? { features, started_at } : null;
}

interface Plan {
  /** How destinations that group their alerts group this one; null for others. */
  place?: CausePlace | null;
  /** Not attempted before, because its diagnosis is under way. Unix ms. */
  waitsUntil?: number | null;
}

/** One delivery per recipient. Repeated calls produce the same ids. */
function newDeliveries(
  alert: AlertDetails, destination: DestinationDoc,
  { now, queuedAt, place = null, waitsUntil = null }: Plan & { now: number; queuedAt: number },
): DeliveryDoc[] {
  const { _id: destination_id, organization_id, project_id, type: channel } = destination;
  const [monitor_id, incident_id] = [alert.monitor?.id ?? null, alert.incident?.id ?? null];
  const probe = alert.probe ? { probe_id: alert.probe.id } : {};
  const grouped = place !== null && groupingOf(destination) === 'auto' ? { cause: place } : {};
  const hold = holdOf(destination, alert, now);
  const start = hold === 'never'
    ? { ...unsent(now), ...suppressed('outside the hours of the integration', now) }
    : { ...unsent(now, hold?.until ?? waitsUntil ?? now), ...(hold ? { held: hold } : {}) };
  const waiting = hold === null && waitsUntil !== null ? { diagnosis_at: waitsUntil } : {};
  return recipientsOf(destination).map((recipient) => ({
    _id: derivedId(alert.id, destination_id, ...(hasRecipients(channel) ? [recipient] : [])),
    organization_id, project_id, destination_id, monitor_id, incident_id, alert, channel, recipient,
    queued_at: queuedAt, ...start, ...waiting, ...probe, ...grouped,
  }));
}
