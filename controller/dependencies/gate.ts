import type { ShardMap } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { outageOf } from '../delivery/delivery-rules.ts';
import type { Alert, AlertsPort } from '../verdicts/effect.ts';
import { heldAlertOf, type HeldAlert, type OutageEvent } from './held-alert.ts';
import type { HeldAlertStore } from './store.ts';

const OUTAGE_EVENTS: readonly OutageEvent[] = ['monitor.down', 'monitor.slow_response', 'monitor.no_data'];

export interface GateDeps {
  alerts: AlertsPort;
  held: Pick<HeldAlertStore, 'insertIfFree' | 'latest' | 'end' | 'alertOf' | 'settle' | 'addRecovery'>;
  /** Called when an alert was held. */
  onHeld(): void;
  shardMap: ShardMap;
  clock: Clock;
}

/**
 * Holds the alerts of outages of monitors with dependencies, until it is decided whether they are sent. All
 * others pass, unless they end one that is held. Calls are idempotent, even after a crash halfway.
 */
export class DependencyGate implements AlertsPort {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  async fanOut(alert: Alert): Promise<void> {
    const { alerts } = this.#deps;
    if (isOutage(alert)) return hasDependencies(alert) ? this.#hold(alert) : alerts.fanOut(alert);
    const outage = outageOf(alert);
    if (outage === null || await this.#wasAlerted(alert, outage)) await alerts.fanOut(alert);
  }

  async #hold(alert: Alert & { event: OutageEvent }): Promise<void> {
    const { held, onHeld, shardMap, clock } = this.#deps;
    const place = { shard: shardMap.of(alert.monitor.monitor_id), now: clock.now() };
    await held.insertIfFree(heldAlertOf(alert, place));
    onHeld();
  }

  /** Ends the outage. False if its alert is, or was, held until now. */
  async #wasAlerted(recovery: Alert, event: OutageEvent): Promise<boolean> {
    const { alerts, held, clock } = this.#deps;
    const { monitor_id: monitorId } = recovery.monitor;
    const found = await held.latest(monitorId, event);
    if (found === null || !isEndedBy(found, recovery)) return true;
    await held.addRecovery(found._id, recovery.id);
    if (await held.end(found._id, clock.now())) return false;
    // It is not held any more; read again how that ended.
    const { status, due_at } = await held.latest(monitorId, event) ?? found;
    if (status === 'ended') return false;
    if (due_at === undefined) return true;
    // It was released, but perhaps not sent. It comes before its recovery.
    const alert = await held.alertOf(found._id);
    if (alert !== null) await alerts.fanOut(alert);
    await held.settle(found._id, clock.now());
    return true;
  }
}

function isOutage(alert: Alert): alert is Alert & { event: OutageEvent } {
  return OUTAGE_EVENTS.some((event) => event === alert.event);
}

function hasDependencies({ monitor: { depends_on = [] } }: Pick<Alert, 'monitor'>): boolean {
  return depends_on.length > 0;
}

/** Whether this recovery ends the alert's outage. A flapping monitor's may be of a later incident. */
export function isEndedBy(held: HeldAlert, recovery: Pick<Alert, 'id' | 'incident' | 'monitor'>): boolean {
  const { recovery_id, incident_id, is_flapping, due_at } = held;
  if (recovery_id !== undefined) return recovery_id === recovery.id;
  const isSame = incident_id === recovery.incident?.id;
  if (isSame && incident_id !== undefined) return true;
  // Once its dependencies were removed, another outage may have followed whose alert was not held.
  const isLatest = due_at !== undefined || hasDependencies(recovery);
  return isLatest && (isSame || is_flapping === true);
}
