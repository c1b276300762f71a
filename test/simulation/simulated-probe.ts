import { createLog } from '../../shared/log.ts';
import { fnv1a } from '../../shared/ids.ts';
import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { Timer } from '../../shared/time.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import type { ProbeBus } from '../../probe/ports.ts';
import { Sender } from '../../probe/sending/sender.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { Placed, SimulatedDatabase } from './simulated-database.ts';
import { SimulatedProcess, type Pulse } from './simulated-process.ts';
import { SimulatedSpool, type Disk } from './simulated-spool.ts';
import type { Targets } from './targets.ts';
import { BARE_FACTS } from '../helpers/tls-facts.ts';

/** A probe polls for changed assignments at this interval. */
const SYNC_EVERY_MS = 5000;
const RECHECK_MS = 2000;

export interface ProbeParts {
  clock: SimulatedClock;
  pulse: Pulse;
  random: Random;
  network: Network;
  db: SimulatedDatabase;
  targets: Targets;
  probeId: string;
  region: string;
}

interface Check {
  config: MonitorConfig;
  timer: Timer | null;
  /** When its next slot is due. */
  dueAt: number;
  fails: number;
}

/** A probe across restarts, with real lanes, packing and sending, and checks of scripted targets. */
export class SimulatedProbe {
  readonly probeId: string;
  readonly region: string;
  readonly disk: Disk = { lanes: new Map(), started: [] };
  readonly #parts: ProbeParts;
  /** The last checked slot of each monitor, on disk. */
  readonly #covered = new Map<string, { dueAt: number; revision: number }>();
  #process: SimulatedProcess;
  #spool: SimulatedSpool | null = null;
  #checks = new Map<string, Check>();
  #isRetired = false;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
    this.probeId = parts.probeId;
    this.region = parts.region;
    this.#process = new SimulatedProcess(parts.clock, parts.pulse);
  }

  get process(): SimulatedProcess {
    return this.#process;
  }

  get depth(): number {
    return this.#spool?.depth ?? 0;
  }

  start(reuse = false): void {
    const { clock, pulse, random, network } = this.#parts;
    const process = new SimulatedProcess(clock, pulse);
    const spool = new SimulatedSpool(this.disk, process, random, reuse);
    this.#process = process;
    this.#spool = spool;
    this.#checks = new Map();
    const bus: ProbeBus = {
      isConnected: true,
      request: (subject, bytes, timeoutMs) => network.request(
        { process, region: this.region, probeId: this.probeId }, subject, bytes, timeoutMs,
      ),
      publish: () => undefined,
      flush: () => Promise.resolve(),
      subscribe: () => ({ stop: () => undefined }),
      onChange: (handle) => handle(true),
    };
    const sender = new Sender({
      bus, spool, clock: process, log: createLog('probe', 'silent'), random: () => random.next(),
      region: this.region, probeId: this.probeId,
    });
    spool.onSynced = () => sender.kick();
    sender.start();
    process.setRepeating(SYNC_EVERY_MS, () => this.#synchronize(process));
    this.#synchronize(process);
    sender.kick();
  }

  kill(): void {
    this.#process.die();
  }

  /** Stops checking, and sends the remaining results. */
  retire(): void {
    this.#isRetired = true;
    for (const check of this.#checks.values()) check.timer?.cancel();
    this.#checks = new Map();
  }

  #synchronize(process: SimulatedProcess): void {
    const { network, db } = this.#parts;
    if (this.#isRetired || network.cutOff.has(this.probeId) || process.isDead) return;
    const wanted = db.assignments.get(this.region) ?? new Map<string, Placed>();
    for (const [id, check] of this.#checks) {
      if (wanted.get(id)?.config.revision === check.config.revision) continue;
      check.timer?.cancel();
      this.#checks.delete(id);
    }
    for (const [id, { config }] of wanted) {
      if (config.status !== 'active' || this.#checks.has(id)) continue;
      const check: Check = { config, timer: null, dueAt: 0, fails: 0 };
      this.#checks.set(id, check);
      this.#reportMissed(check, process);
      this.#plan(check, process);
    }
  }

  /** Slots that passed while the probe was not running. */
  #reportMissed(check: Check, process: SimulatedProcess): void {
    const covered = this.#covered.get(check.config.monitor_id);
    if (covered?.revision !== check.config.revision) return;
    this.#missed(check, covered.dueAt + check.config.interval_ms, process, 'probe_down');
  }

  #missed(check: Check, from: number, process: SimulatedProcess, reason: 'probe_down' | 'overload'): void {
    const count = Math.floor((process.now() - from) / check.config.interval_ms);
    if (count > 0) {
      this.#spool?.append(
        this.#result(check, from, from, { outcome: 'missed', missed: { reason, count } }), false,
      );
    }
  }

  #plan(check: Check, process: SimulatedProcess): void {
    const { interval_ms: intervalMs, monitor_id: id } = check.config;
    const phase = fnv1a(`${id} ${this.region}`) % intervalMs;
    const now = process.now();
    check.dueAt = now - ((now - phase) % intervalMs) + intervalMs;
    check.timer = process.setTimer(check.dueAt - now, () => this.#run(check, process));
  }

  #run(check: Check, process: SimulatedProcess): void {
    const { interval_ms: intervalMs, monitor_id: id, revision } = check.config;
    if (process.now() - check.dueAt >= intervalMs) this.#missed(check, check.dueAt, process, 'overload');
    else this.#attempt(check, process, 1);
    this.#covered.set(id, { dueAt: process.now() - ((process.now() - check.dueAt) % intervalMs), revision });
    this.#plan(check, process);
  }

  #attempt(check: Check, process: SimulatedProcess, attempt: number): void {
    const { targets, random } = this.#parts;
    const isWorking = targets.isWorking(check.config.monitor_id, process.now());
    const wasFailing = check.fails > 0;
    check.fails = isWorking ? 0 : check.fails + 1;
    const found: Partial<CheckResult> = isWorking
      ? {
        outcome: 'success', response_time_ms: random.int(100, 9000) / 10, status_code: 200,
        tls: this.#certificate(check.config.monitor_id, process.now()),
      }
      : {
        outcome: 'failure', status_code: 503,
        error: { type: 'status_code', message: 'Expected 200, got 503' },
      };
    const scheduledAt = attempt === 1 ? check.dueAt : process.now();
    this.#spool?.append(this.#result(
      check, scheduledAt, process.now(),
      { ...found, attempt, reason: attempt === 1 ? 'schedule' : 'confirm' },
    ), !isWorking || wasFailing);
    if (isWorking || attempt > check.config.retries) return;
    process.setTimer(RECHECK_MS, () => {
      if (this.#checks.get(check.config.monitor_id) === check) this.#attempt(check, process, attempt + 1);
    });
  }

  /** Every tenth result carries the certificate. It is renewed every half hour, sometimes with a weak one. */
  #certificate(id: string, at: number): CheckResult['tls'] {
    if (fnv1a(`${id} ${this.region} ${at}`) % 10 > 0) return null;
    const number = Math.floor(at / (30 * 60_000));
    return {
      ...BARE_FACTS, valid: true, expires_at: (number + 1) * 30 * 60_000 + 20 * 86_400_000, issuer: 'CA', subject: 'target',
      fingerprint256: `${number}`, protocol: 'TLSv1.3', key: number % 3 === 0 ? 'RSA 1024' : 'RSA 2048',
    };
  }

  #result(check: Check, scheduledAt: number, startedAt: number, found: Partial<CheckResult>): CheckResult {
    return {
      seq: 0, monitor_id: check.config.monitor_id, assignment_rev: check.config.check_revision, attempt: 1,
      reason: 'schedule',
      scheduled_at: scheduledAt, started_at: startedAt, response_time_ms: null, outcome: 'missed',
      degraded: false, status_code: null,
      error: null, missed: null, timings: null, remote_address: null, tls: null, detail: null, ...found,
    };
  }
}
