import { phaseMs } from '../../../controller/assignments/rules.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { failure, type Finding } from '../../../probe/checks/check.ts';
import type { ProbeBus } from '../../../probe/ports.ts';
import { limitsFor } from '../../../probe/runner/limits.ts';
import { missedResult } from '../../../probe/runner/result.ts';
import { Runner } from '../../../probe/runner/runner.ts';
import { Scheduler } from '../../../probe/scheduler/scheduler.ts';
import { Sender } from '../../../probe/sending/sender.ts';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { createLog } from '../../../shared/log.ts';
import { sleep } from '../../../shared/time.ts';
import type { Random } from '../../simulation/random.ts';
import { SimulatedProcess } from '../../simulation/simulated-process.ts';
import { SimulatedSpool, type Disk } from '../../simulation/simulated-spool.ts';
import type { World } from '../../simulation/world.ts';

/** How long a check takes to fail, and a look at the anchors, while the network is gone. */
const LOST_MS = 2000;

const SUCCESS: Finding = {
  outcome: 'success', degraded: false, response_time_ms: 20, status_code: 200, error: null, missed: null,
  timings: null, remote_address: null, tls: null, detail: null, seen: null,
};
const FAILURE = failure('connection_error', 'response', 'The connection was reset', {});
const TIMEOUT = failure('timeout', 'connect', 'No answer', {});

interface NoisyProbeOptions {
  world: World;
  region: string;
  /** Decides each check: whether it fails although its target works. */
  fails: () => boolean;
  /** The first check of a slot: what it found, before anything is made of it. */
  onSlot: (monitorId: string, region: string, found: 'success' | 'failure' | 'lost') => void;
}

/** Rechecks come after a fraction of a ms, and Unix times have none. */
class WholeMsProcess extends SimulatedProcess {
  override now(): number {
    return Math.floor(super.now());
  }
}

/** The product's schedule, rechecks, packing and sending of one probe, with checks of scripted targets. */
export class NoisyProbe {
  readonly probeId: string;
  readonly region: string;
  readonly process: SimulatedProcess;
  readonly #options: NoisyProbeOptions;
  readonly #disk: Disk = { lanes: new Map(), begun: null };
  readonly #random: Random;
  readonly #runner: Runner;
  readonly #scheduler: Scheduler;
  readonly #assignments = new Map<string, Assignment>();
  /** What slots that have come up will find first. */
  readonly #drawn = new Map<string, Finding>();

  constructor(options: NoisyProbeOptions) {
    const { world, region } = options;
    this.#options = options;
    this.#random = world.random.fork();
    this.region = region;
    this.probeId = this.#random.uuid();
    this.process = new WholeMsProcess(world.clock, world.pulse);
    const random = (): number => this.#random.next();
    const spool = new SimulatedSpool(this.#disk, this.process, this.#random);
    const sender = new Sender({
      bus: this.#bus(), spool, clock: this.process, log: createLog('probe', 'silent'), random, region,
      probeId: this.probeId,
    });
    spool.onSynced = () => sender.kick();
    this.#runner = new Runner({
      clock: this.process, random, limits: limitsFor(100_000),
      check: ({ type }) => this.#check(type),
      isCutOff: async () => {
        if (!this.#isLost) return false;
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

  /** Runs the monitor, at once and then by schedule, as the `index`th of `regions` regions. */
  take(config: MonitorConfig, index: number, regions: number): void {
    const { monitor_id, organization_id, project_id, interval_ms, timeout_ms, retries } = config;
    const assignment: Assignment = {
      monitor_id, organization_id, project_id, assignment_rev: config.check_revision, interval_ms, timeout_ms,
      phase_ms: phaseMs(monitor_id, interval_ms, index, regions), retries,
      // Checks learn only their spec, so that names the monitor.
      spec: { type: monitor_id },
    };
    this.#assignments.set(monitor_id, assignment);
    this.#scheduler.set(assignment, this.process.now());
  }

  /** Checks monitors at once, as the controller orders. */
  confirm(ids: readonly string[]): void {
    for (const id of ids) {
      const held = this.#assignments.get(id);
      if (held) this.#runner.confirm(held);
    }
  }

  /** Frees what only an observer needs. */
  forgetPast(): void {
    for (const lane of this.#disk.lanes.values()) lane.results.length = 0;
  }

  get #isLost(): boolean {
    return this.#options.world.network.cutOff.has(this.probeId);
  }

  #slot(assignment: Assignment, dueMs: number): void {
    const id = assignment.monitor_id;
    const found = this.#draw(id);
    this.#drawn.set(id, found);
    this.#options.onSlot(id, this.region, found === TIMEOUT ? 'lost' : found === FAILURE ? 'failure' : 'success');
    this.#runner.slot(assignment, dueMs);
  }

  async #check(id: string): Promise<Finding> {
    const found = this.#drawn.get(id) ?? this.#draw(id);
    this.#drawn.delete(id);
    if (found === TIMEOUT) await sleep(this.process, LOST_MS);
    return found;
  }

  #draw(id: string): Finding {
    const { world, fails } = this.#options;
    // Drawn in any case, so that an outage changes nothing for others.
    const isNoise = fails();
    if (this.#isLost) return TIMEOUT;
    return isNoise || !world.targets.isWorking(id, world.clock.now()) ? FAILURE : SUCCESS;
  }

  #bus(): ProbeBus {
    const { world, region } = this.#options;
    return {
      isConnected: true,
      request: (subject, bytes, timeoutMs) => world.network.request(
        { process: this.process, region, probeId: this.probeId }, subject, bytes, timeoutMs,
      ),
      publish: () => undefined,
      subscribe: () => ({ stop: () => undefined }),
      onChange: (handle) => handle(true),
    };
  }
}
