import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { isEnrolled, type ProbeDoc } from './probe.ts';
import { revokeAll, type RevocationDeps } from './verbs/probes.ts';

const POLL_INTERVAL_MS = 2000;
/** A probe ends at most 9 s after it has announced that it stops. Until then it sends its results. */
const STOPPED_AFTER_MS = 10_000;
const SILENT_AFTER_MS = 10 * 60_000;

interface EphemeralProbesDeps extends RevocationDeps {
  directory: Pick<FleetDirectory, 'probes' | 'refresh'>;
  liveness: Pick<Liveness, 'track' | 'silentMs'>;
  /** Whether this controller is responsible for the region. */
  owns(regionId: string): boolean;
  clock: Clock;
  log: Log;
}

/** Deletes the probes of ephemeral enrolment keys when they have stopped or stay silent. */
export class EphemeralProbes {
  readonly #deps: EphemeralProbesDeps;
  readonly #pollTask: PeriodicTask;

  constructor(deps: EphemeralProbesDeps) {
    this.#deps = deps;
    this.#pollTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_INTERVAL_MS,
      task: () => this.#poll(),
      onError: (error) => deps.log.warn({ err: error }, 'could not delete ephemeral probes; will retry'),
    });
  }

  start(): void {
    this.#pollTask.start();
  }

  stop(): Promise<void> {
    return this.#pollTask.stop();
  }

  async #poll(): Promise<void> {
    const { clock, directory, log, owns } = this.#deps;
    const gone = [...directory.probes()].filter((probe) => owns(probe.region_id) && this.#isGone(probe));
    if (gone.length === 0 || !(await revokeAll(this.#deps, gone, clock.now()))) return;
    for (const { _id: probe_id, name: probe_name, region_id: region } of gone) {
      log.info({ probe_id, probe_name, region }, 'ephemeral probe deleted');
    }
  }

  #isGone(probe: ProbeDoc): boolean {
    const { clock, liveness } = this.#deps;
    if (probe.is_ephemeral !== true || !isEnrolled(probe)) return false;
    const silentMs = liveness.silentMs(probe);
    if (liveness.track(probe._id)?.beat.leaving === true && silentMs >= STOPPED_AFTER_MS) return true;
    return silentMs >= SILENT_AFTER_MS && clock.now() - (probe.enrolled_at ?? 0) >= SILENT_AFTER_MS;
  }
}
