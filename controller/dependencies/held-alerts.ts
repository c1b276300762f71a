import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { ShardMap } from '../../shared/shard-map.ts';
import type { Clock } from '../../shared/time.ts';
import type { RelatedMonitor } from '../monitors/monitor.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import type { Alert, AlertsPort } from '../verdicts/effect.ts';
import { findDue } from '../work/claimed-work.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { DependencyChecks } from './dependency-checks.ts';
import { decide, MAX_CHECK_MS, phaseOf, type Decision, type Dependency } from './dependency-rules.ts';
import type { HeldAlert, HeldBy, HoldChange } from './held-alert.ts';
import type { HeldAlertStore } from './store.ts';

export interface HeldAlertsDeps {
  held: HeldAlertStore;
  alerts: AlertsPort & {
    /** Adds the alert to the notification log as suppressed. May be repeated. */
    logHeld(alert: Alert, reason: string): Promise<void>;
  };
  incidents: {
    /** Null if it was deleted. */
    findById(id: string): Promise<{ status: string } | null>;
    /** Shows what holds the incident's alert; null for nothing. */
    setHeldBy(id: string, heldBy: HeldBy | null): Promise<void>;
  };
  /** Omits deleted monitors. */
  monitors(ids: string[]): Promise<RelatedMonitor[]>;
  /** Omits monitors that nobody knows yet. */
  states(ids: string[]): Promise<Map<string, MonitorLive>>;
  /** As DependencyChecks. */
  check(monitorId: string): Promise<boolean>;
  /** Has these probes check the monitor soon. */
  recheck(monitorId: string, probeIds: string[]): void;
  ownsShard(shard: number): boolean;
  shardMap: ShardMap;
  peers: Peers;
  clock: Clock;
  log: Log;
}

const POLL_INTERVAL_MS = 1000;
/** Used while no alert is held. */
const IDLE_POLL_INTERVAL_MS = 3000;
const BATCH_SIZE = 500;
/** Alerts that are sent, ended or logged concurrently. */
const MAX_CONCURRENT = 16;

/** One that is evicted and seen again has its dependencies checked again. */
const MAX_REMEMBERED = 20_000;

interface Facts {
  monitors: ReadonlyMap<string, RelatedMonitor>;
  live: ReadonlyMap<string, MonitorLive>;
}

/** Decides which held alerts are sent, and when. Each controller decides on those of its shards. */
export class HeldAlerts {
  readonly #deps: HeldAlertsDeps;
  readonly #task: PeriodicTask;
  readonly #checks: DependencyChecks;
  /** Alerts that wait for a check, by dependency. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #firstSeenMs = new Map<string, number>();
  /** Alerts whose check has ended. */
  readonly #woken = new Set<string>();

  constructor(deps: HeldAlertsDeps) {
    const { clock, log, peers, check } = deps;
    this.#deps = deps;
    this.#checks = new DependencyChecks({ check, clock, log, onEnded: (id) => this.#wake(id) });
    this.#task = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_POLL_INTERVAL_MS, runsAtStart: true, peers,
      task: () => this.#decideDue(),
      onError: (error) => log.warn({ err: error }, 'could not decide on held alerts'),
    });
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    this.#checks.stop();
    await this.#task.stop();
  }

  /** Call when an alert was held or this controller acquired shards. */
  trigger(): void {
    this.#task.trigger();
  }

  #wake(dependencyId: string): void {
    for (const id of this.#waiting.get(dependencyId) ?? []) this.#woken.add(id);
    this.#waiting.delete(dependencyId);
    this.#task.trigger();
  }

  async #decideDue(): Promise<boolean | 'idle'> {
    const { held, clock, ownsShard, shardMap } = this.#deps;
    const shards = shardMap.all.filter(ownsShard);
    if (shards.length === 0) return false;
    const woken = [...this.#woken];
    this.#woken.clear();
    const store = { due: (until: number, limit: number) => held.due(shards, until, limit) };
    const { free, next } = await findDue({ clock, store }, BATCH_SIZE);
    const byId = new Map([...free, ...await held.unsettled(woken)].map((one) => [one._id, one]));
    const failures = byId.size === 0 ? 0 : await this.#decideOn([...byId.values()]);
    return failures > 0 ? false : next;
  }

  /** Returns how many could not be decided on; they stay due. */
  async #decideOn(alerts: HeldAlert[]): Promise<number> {
    const { clock, held, log } = this.#deps;
    const facts = await this.#facts(alerts);
    const now = clock.now();
    const postponed = new Map<number, string[]>();
    const queue = new PQueue({ concurrency: MAX_CONCURRENT });
    let failures = 0;
    for (const alert of alerts) {
      const decision = alert.status === 'held' ? this.#decisionOn(alert, facts, now) : { kind: 'send' } as const;
      if (decision.kind === 'hold' && isUnchanged(alert, decision.change)) {
        const { due_at } = decision.change;
        postponed.set(due_at, [...postponed.get(due_at) ?? [], alert._id]);
        continue;
      }
      void queue.add(() => this.#carryOut(alert, decision, facts).catch((error: unknown) => {
        failures += 1;
        log.warn({ err: error, alert_id: alert._id, monitor: alert.monitor_id }, 'could not decide on a held alert');
      }));
    }
    for (const [dueAt, ids] of postponed) await held.postpone(ids, dueAt);
    await queue.onIdle();
    return failures;
  }

  async #facts(alerts: HeldAlert[]): Promise<Facts> {
    const own = await this.#deps.monitors([...new Set(alerts.map((one) => one.monitor_id))]);
    const monitors = new Map(own.map((monitor) => [monitor._id, monitor]));
    const others = new Set(own.flatMap((one) => one.depends_on).filter((id) => !monitors.has(id)));
    for (const monitor of await this.#deps.monitors([...others])) monitors.set(monitor._id, monitor);
    return { monitors, live: await this.#deps.states([...monitors.keys()]) };
  }

  #decisionOn(alert: HeldAlert, { monitors, live }: Facts, now: number): Decision {
    const monitor = monitors.get(alert.monitor_id);
    const seenAtMs = this.#seenAt(alert._id);
    const isWaiting = !alert.was_down && this.#deps.clock.monotonic() - seenAtMs < MAX_CHECK_MS;
    const dependencies = (monitor?.depends_on ?? []).flatMap((id): Dependency[] => {
      const { name, status } = monitors.get(id) ?? {};
      if (name === undefined || status !== 'active') return [];
      const seen = live.get(id);
      const isDown = seen?.status === 'down';
      const isUnderCheck = isWaiting && this.#checks.isUnderCheck(id, seenAtMs, !isDown);
      if (isUnderCheck) this.#waitFor(id, alert._id);
      return [{ monitor_id: id, name, isDown, since: seen?.since ?? 0, isUnderCheck }];
    });
    const phase = phaseOf(alert, monitor?.status === 'active', live.get(alert.monitor_id));
    return decide(alert, phase, dependencies, now);
  }

  /** When this controller first saw the alert, monotonic ms: a check must begin later. */
  #seenAt(id: string): number {
    const seenAtMs = this.#firstSeenMs.get(id) ?? this.#deps.clock.monotonic();
    this.#firstSeenMs.set(id, seenAtMs);
    if (this.#firstSeenMs.size > MAX_REMEMBERED) {
      this.#firstSeenMs.delete(this.#firstSeenMs.keys().next().value as string);
    }
    return seenAtMs;
  }

  #waitFor(dependencyId: string, alertId: string): void {
    const waiting = this.#waiting.get(dependencyId);
    if (waiting) waiting.add(alertId);
    else this.#waiting.set(dependencyId, new Set([alertId]));
  }

  async #carryOut(alert: HeldAlert, decision: Decision, facts: Facts): Promise<void> {
    const { held, clock } = this.#deps;
    const { _id: id, status } = alert;
    const mayBeOver = status === 'held' && (decision.kind === 'send' || decision.kind === 'wait');
    if (decision.kind === 'end' || (mayBeOver && await this.#isIncidentOver(alert))) {
      await held.end(id, clock.now());
    } else if (decision.kind === 'wait') await held.postpone([id], decision.due_at);
    else if (decision.kind === 'hold') await this.#hold(alert, decision.change, facts);
    else if (status === 'released' || await held.release(id)) await this.#send(alert);
  }

  /** A person may have ended it, or the monitor was paused. */
  async #isIncidentOver({ incident_id }: HeldAlert): Promise<boolean> {
    if (incident_id === undefined) return false;
    const incident = await this.#deps.incidents.findById(incident_id);
    return incident === null || (incident.status !== 'open' && incident.status !== 'acknowledged');
  }

  async #send({ _id: id, incident_id }: HeldAlert): Promise<void> {
    const { held, alerts, incidents, clock } = this.#deps;
    const alert = await held.alertOf(id);
    if (alert !== null) await alerts.fanOut(alert);
    if (incident_id !== undefined) await incidents.setHeldBy(incident_id, null);
    await held.settle(id, clock.now());
  }

  async #hold(alert: HeldAlert, change: HoldChange, { live }: Facts): Promise<void> {
    const { held, incidents, recheck } = this.#deps;
    const { _id: id, monitor_id, incident_id, held_by } = alert;
    if (change.was_down && !alert.was_down) await this.#log(id, change.held_by?.name ?? '');
    const isNew = change.held_by !== undefined && !isDeepStrictEqual(change.held_by, held_by);
    if (isNew && incident_id !== undefined) await incidents.setHeldBy(incident_id, change.held_by ?? null);
    if (typeof change.recovered_at === 'number' && alert.recovered_at === undefined) {
      // Its own schedule may be too slow to see it up in time.
      recheck(monitor_id, (live.get(monitor_id)?.regions ?? []).flatMap(({ probe_id }) => probe_id ?? []));
    }
    const isHeld = await held.keep(id, change);
    if (!isHeld && isNew && incident_id !== undefined) await incidents.setHeldBy(incident_id, null);
  }

  async #log(id: string, name: string): Promise<void> {
    const alert = await this.#deps.held.alertOf(id);
    if (alert !== null) await this.#deps.alerts.logHeld(alert, `the monitor depends on ${name}, which is down`);
  }
}

/** Whether the alert is only to be decided on again. */
function isUnchanged(alert: HeldAlert, change: HoldChange): boolean {
  return isDeepStrictEqual({ ...alert, ...change }, { ...alert, due_at: change.due_at });
}
