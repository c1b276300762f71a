import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { ShardMap } from '../../shared/ids.ts';
import type { RelatedMonitor } from '../monitors/monitor.ts';
import type { MonitorLive } from '../results/reading/recent/unwritten-monitor.ts';
import { findDue } from '../work/claimed-work.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { DependencyChecks } from './dependency-checks.ts';
import { decisionOn, type KnownMonitors } from './dependency-rules.ts';
import type { HeldAlert, HoldChange } from './held-alert.ts';
import { carryOut, type StepDeps } from './held-alert-steps.ts';
import type { HeldAlertStore } from './store.ts';

export interface HeldAlertsDeps extends StepDeps {
  held: StepDeps['held'] & Pick<HeldAlertStore, 'due' | 'unsettled'>;
  /** Omits deleted monitors. */
  monitors(ids: string[]): Promise<RelatedMonitor[]>;
  /** Omits monitors that nobody knows yet. */
  states(ids: string[]): Promise<Map<string, MonitorLive>>;
  /** As DependencyChecks. */
  check(monitorId: string): Promise<boolean>;
  ownsShard(shard: number): boolean;
  shardMap: ShardMap;
  peers: Peers;
  log: Log;
}

const POLL_INTERVAL_MS = 1000;
/** Used while no alert is held. */
const IDLE_POLL_INTERVAL_MS = 3000;
const BATCH_SIZE = 500;
/** Alerts that are sent, ended or logged concurrently. */
const MAX_CONCURRENT = 16;

interface Facts extends KnownMonitors {
  live: ReadonlyMap<string, MonitorLive>;
}

/** Decides which held alerts are sent, and when. Each controller decides on those of its shards. */
export class HeldAlerts {
  readonly #deps: HeldAlertsDeps;
  readonly #task: PeriodicTask;
  readonly #checks: DependencyChecks;
  /** Alerts whose check has ended. */
  readonly #woken = new Set<string>();

  constructor(deps: HeldAlertsDeps) {
    const { clock, log, peers, check } = deps;
    this.#deps = deps;
    this.#checks = new DependencyChecks({
      check, clock, log,
      onEnded: (ids) => {
        for (const id of ids) this.#woken.add(id);
        this.#task.trigger();
      },
    });
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
      const isUnderCheck = (id: string, isToConfirm: boolean) =>
        this.#checks.isUnderCheck(alert._id, id, isToConfirm);
      const decision = alert.status === 'held'
        ? decisionOn(alert, facts, now, isUnderCheck) : { kind: 'send' } as const;
      if (decision.kind === 'hold' && isUnchanged(alert, decision.change)) {
        const { due_at } = decision.change;
        postponed.set(due_at, [...postponed.get(due_at) ?? [], alert._id]);
        continue;
      }
      if (decision.kind === 'send' || decision.kind === 'end') this.#checks.forget(alert._id);
      const live = facts.live.get(alert.monitor_id);
      void queue.add(() => carryOut(this.#deps, alert, decision, live).catch((error: unknown) => {
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
}

/** Whether the alert is only to be decided on again. */
function isUnchanged(alert: HeldAlert, change: HoldChange): boolean {
  return isDeepStrictEqual({ ...alert, ...change }, { ...alert, due_at: change.due_at });
}
