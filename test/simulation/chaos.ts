import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { FAIR_WEATHER } from './network.ts';
import type { Random } from './random.ts';
import { HEALTHY } from './wire.ts';
import { MINUTE_MS, type World } from './world.ts';

/** Severity of faults, from 0 (none) to 1. */
export interface ChaosOptions {
  database: number;
  network: number;
  controllers: number;
  probes: number;
  people: number;
}

export const ALL_CHAOS: ChaosOptions =
  Object.freeze({ database: 1, network: 1, controllers: 1, probes: 1, people: 1 });

/** Of a maintenance window that a user opens. */
const MAINTENANCE_MS = 7 * MINUTE_MS;

/** Injects one fault after another into a world until it is stopped. */
export class Chaos {
  readonly #world: World;
  readonly #random: Random;
  readonly #level: ChaosOptions;
  #isOver = false;
  #partitionFreeAt = 0;
  /** Monitors that users may change. */
  readonly touchable: string[] = [];

  constructor(world: World, level: ChaosOptions) {
    this.#world = world;
    this.#random = world.random.fork();
    this.#level = level;
  }

  start(): void {
    const { database } = this.#level;
    this.#world.health = {
      ...HEALTHY, slow: 0.05 * database, failBefore: 0.006 * database, failAfter: 0.006 * database,
      ghost: 0.003 * database, crash: 0.0008 * this.#level.controllers,
    };
    this.#world.network.weather = {
      lose: 0.01 * this.#level.network, double: 0.02 * this.#level.network, delay: 0.03 * this.#level.network,
    };
    this.#next();
  }

  /** Ends all faults; dead processes restart on their own. */
  stop(): void {
    this.#isOver = true;
    this.#world.health = HEALTHY;
    this.#world.network.weather = FAIR_WEATHER;
    this.#world.network.cutOff.clear();
  }

  #next(): void {
    this.#world.clock.setTimer(this.#random.int(1000, 45_000), () => {
      if (this.#isOver) return;
      this.#disturb();
      this.#next();
    });
  }

  #disturb(): void {
    const { database, network, controllers, probes, people } = this.#level;
    const what = this.#random.pick([
      [controllers, () => this.#nap()], [
        controllers, () => this.#nap(),
      ], [controllers, () => this.#killController()], [controllers, () => this.#stopController()],
      [database, () => this.#databaseDown()], [network, () => this.#storm()], [probes, () => this.#cutOff()],
      [probes, () => this.#killProbe()],
      [network, () => this.#poison()], [people, () => this.#person()], [people, () => this.#person()],
    ] as [level: number, act: () => void][]);
    if (this.#random.chance(what[0])) what[1]();
  }

  #after(delayMs: number, act: () => void): void {
    this.#world.clock.setTimer(delayMs, () => {
      if (!this.#isOver) act();
    });
  }

  #nap(): void {
    const controller = this.#random.pick(this.#world.controllers);
    this.#world.count('controller nap');
    controller.process?.sleep(this.#random.pick([
      this.#random.int(10, 2000), this.#random.int(2000, 12_000), this.#random.int(12_000, 90_000),
    ]), this.#random.chance(0.5));
  }

  #killController(): void {
    this.#random.pick(this.#world.controllers).kill();
  }

  #stopController(): void {
    const alive = this.#world.controllers.filter((controller) => controller.isAlive);
    if (alive.length === 0) return;
    this.#world.count('controller stop');
    void this.#random.pick(alive).stop();
  }

  #databaseDown(): void {
    this.#world.count('database down');
    const before = this.#world.health;
    if (before.isDown) return;
    this.#world.health = { ...before, isDown: true };
    this.#after(this.#random.pick([this.#random.int(100, 3000), this.#random.int(3000, 45_000)]), () => {
      this.#world.health = before;
    });
  }

  #storm(): void {
    this.#world.count('storm');
    const before = this.#world.network.weather;
    if (before.lose > 0.2) return;
    this.#world.network.weather = { lose: 0.3, double: 0.3, delay: 0.3 };
    this.#after(this.#random.int(1000, 40_000), () => {
      this.#world.network.weather = before;
    });
  }

  /** One region at a time. A scenario covers several silent regions. */
  #cutOff(): void {
    if (this.#world.clock.now() < this.#partitionFreeAt) return;
    this.#world.count('partition');
    const { probeId } = this.#random.pick(this.#world.probes);
    const forMs =
      this.#random.pick([this.#random.int(1000, 60_000), this.#random.int(MINUTE_MS, 4 * MINUTE_MS)]);
    this.#partitionFreeAt = this.#world.clock.now() + forMs + 4 * MINUTE_MS;
    this.#world.network.cutOff.add(probeId);
    this.#after(forMs, () => void this.#world.network.cutOff.delete(probeId));
  }

  #killProbe(): void {
    this.#world.count('probe death');
    const probe = this.#random.pick(this.#world.probes);
    if (probe.process.isDead) return;
    probe.kill();
    this.#world.clock.setTimer(this.#random.int(500, 20_000), () => probe.start());
  }

  /** A probe sends invalid bytes in another probe's lane. They become dead letters without affecting anything else. */
  #poison(): void {
    const probe = this.#random.pick(this.#world.probes);
    if (!probe.process.isAwake) return;
    this.#world.count('poison');
    const epoch = this.#random.uuid();
    const subject = subjects.results(this.#random.pick([2, 7, 11]), probe.region, probe.probeId);
    const bytes = this.#random.pick([
      () => Uint8Array.from({ length: this.#random.int(0, 300) }, () => this.#random.int(0, 255)),
      () => Buffer.from(`{"v":1,"epoch":"${epoch}","results":[{"seq":1,"monitor_id":{"$gt":""}},{"seq":2}]}`),
      () => Buffer.from(
        `{"v":1,"epoch":"${epoch}","results":[],"dropped":[{"first":1,"last":7,"reason":"corrupt"}]}`,
      ),
      () => encodeBatch({
        epoch, engine: '', first: 1, last: 1, dropped: [],
        results: [unknownResult(this.#random.uuid(), this.#world.clock.now())],
      }),
    ])();
    this.#world.network.request(probe, subject, bytes, 2000).catch(() => undefined);
  }

  #person(): void {
    const id = this.touchable.length === 0 ? null : this.#random.pick(this.touchable);
    const config = id === null ? null : this.#world.db.monitors.get(id)?.config;
    if (id === null || !config || config.status === 'deleted') return;
    this.#world.count('change');
    const paused = config.status === 'paused';
    const act = this.#random.int(0, 9);
    const from = this.#world.clock.now();
    const maintenance = [{ from, until: from + MAINTENANCE_MS, holds_alerts: act === 3 }];
    if (act < 2) this.#world.changeMonitor(id, { name: `monitor ${act}` });
    else if (act < 4) this.#world.changeMonitor(id, { maintenance });
    else if (act < 9) this.#world.changeMonitor(id, { status: paused ? 'active' : 'paused' });
    else this.#world.changeMonitor(id, { status: 'deleted' });
  }
}

function unknownResult(monitorId: string, at: number): CheckResult {
  return {
    seq: 1, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: at,
    started_at: at, response_time_ms: null,
    outcome: 'failure', degraded: false, status_code: null, error: null, missed: null, timings: null,
    remote_address: null, tls: null, detail: null,
  };
}
