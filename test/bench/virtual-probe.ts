import { phaseMs } from '../../controller/monitors/slot-rules.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { failure, type Finding } from '../../probe/checks/check.ts';
import type { ProbeBus } from '../../probe/ports.ts';
import { limitsFor } from '../../probe/runner/limits.ts';
import { missedResult } from '../../probe/runner/result.ts';
import { Runner } from '../../probe/runner/runner.ts';
import { Scheduler } from '../../probe/scheduler/scheduler.ts';
import { Sender } from '../../probe/sending/sender.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { createLog } from '../../shared/log.ts';
import { sleep } from '../../shared/time.ts';
import type { SimulatedClock } from '../helpers/simulated-clock.ts';
import type { Random } from '../simulation/random.ts';
import { SimulatedProcess, type Pulse } from '../simulation/simulated-process.ts';
import { SimulatedSpool, type Disk } from '../simulation/simulated-spool.ts';

/** How long a check takes to fail without network, including a check of the anchors. */
const LOST_MS = 2000;

const SUCCESS: Finding = {
  outcome: 'success', degraded: false, response_time_ms: 20, status_code: 200, error: null, missed: null,
  timings: null, remote_address: null, tls: null, detail: null, observed: null,
};
const FAILURE = failure('connection_error', 'response', 'The connection was reset', {});
const TIMEOUT = failure('timeout', 'connect', 'No response', {});

/** The outcome of a check; `lost`: the probe has no network. */
export type Found = 'success' | 'failure' | 'lost';

const FINDINGS: Readonly<Record<Found, Finding>> = { success: SUCCESS, failure: FAILURE, lost: TIMEOUT };

interface VirtualProbeOptions {
  clock: SimulatedClock;
  pulse: Pulse;
  random: Random;
  region: string;
  /** The current outcome of checks of a monitor. */
  checkOutcome: (monitorId: string) => Found;
  isLost: () => boolean;
  /** Called with the outcome of a slot's first check, before rechecks. */
  onSlot?: (monitorId: string, found: Found) => void;
  request: (from: VirtualProbe, ...args: Parameters<ProbeBus['request']>) => Promise<Uint8Array>;
}

/** Unix times are in whole ms, but rechecks come after a fraction of a ms. */
class WholeMsProcess extends SimulatedProcess {
  override now(): number {
    return Math.floor(super.now());
  }
}

/** One probe's scheduling, rechecks, packing and sending as in the product, with scripted targets. */
export class VirtualProbe {
  readonly probeId: string;
  readonly region: string;
  readonly process: SimulatedProcess;
  readonly #options: VirtualProbeOptions;
  readonly #disk: Disk = { lanes: new Map(), started: [] };
  readonly #runner: Runner;
  readonly #scheduler: Scheduler;
  readonly #assignments = new Map<string, Assignment>();
  /** Outcomes already drawn for the first checks of due slots. */
  readonly #drawn = new Map<string, Found>();

  constructor(options: VirtualProbeOptions) {
    const { clock, pulse, random: draws, region } = options;
    this.#options = options;
    this.region = region;
    this.probeId = draws.uuid();
    this.process = new WholeMsProcess(clock, pulse);
    const random = (): number => draws.next();
    const spool = new SimulatedSpool(this.#disk, this.process, draws);
    const sender = new Sender({
      bus: this.#bus(), spool, clock: this.process, log: createLog('probe', 'silent'), random, region,
      probeId: this.probeId,
    });
    spool.onSynced = () => sender.kick();
    this.#runner = new Runner({
      clock: this.process, random, limits: limitsFor(100_000),
      check: ({ type }) => this.#check(type),
      isCutOff: async () => {
        if (!options.isLost()) return false;
        await sleep(this.process, LOST_MS);
        return true;
      },
      record: (result, urgent) => spool.append(result, urgent),
    });
    this.#scheduler = new Scheduler(this.process, {
      due: (assignment, dueMs) => this.#slot(assignment, dueMs),
      missed: (assignment, run, reason) => spool.append(missedResult(assignment, run, reason), false),
    });
    sender.start();
    this.#scheduler.start();
  }

  /** Runs the monitor as the `index`th of `regions` regions: by schedule, and if new also immediately. */
  take(config: MonitorConfig, index: number, regions: number, isNew: boolean): void {
    const { monitor_id, organization_id, project_id, interval_ms, timeout_ms, retries } = config;
    const assignment: Assignment = {
      monitor_id, organization_id, project_id, assignment_rev: config.check_revision, interval_ms, timeout_ms,
      phase_ms: phaseMs(monitor_id, interval_ms, index, regions), retries, allow_private: true,
      // Checks only receive their spec, so it identifies the monitor.
      spec: { type: monitor_id },
    };
    this.#assignments.set(monitor_id, assignment);
    this.#scheduler.set(assignment, isNew ? this.process.now() : undefined);
  }

  /** Checks monitors immediately, as ordered by the controller. */
  confirm(ids: readonly string[]): void {
    for (const id of ids) {
      const held = this.#assignments.get(id);
      if (held) this.#runner.confirm(held);
    }
  }

  /** Frees data needed only by observers. */
  dropHistory(): void {
    for (const lane of this.#disk.lanes.values()) lane.results.length = 0;
  }

  #slot(assignment: Assignment, dueMs: number): void {
    const { checkOutcome, onSlot } = this.#options;
    const id = assignment.monitor_id;
    const found = checkOutcome(id);
    this.#drawn.set(id, found);
    onSlot?.(id, found);
    this.#runner.slot(assignment, dueMs);
  }

  async #check(id: string): Promise<Finding> {
    const found = this.#drawn.get(id) ?? this.#options.checkOutcome(id);
    this.#drawn.delete(id);
    if (found === 'lost') await sleep(this.process, LOST_MS);
    return FINDINGS[found];
  }

  #bus(): ProbeBus {
    return {
      isConnected: true,
      request: (...args) => this.#options.request(this, ...args),
      publish: () => undefined,
      flush: () => Promise.resolve(),
      subscribe: () => ({ stop: () => undefined }),
      onChange: (handle) => handle(true),
    };
  }
}
