import { MAX_CONFIRMED_MONITORS, type ConfirmOrder } from '../../shared/contracts/assignment.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import { isAssigned } from '../verdicts/votes/quorum-rules.ts';
import type { EnvelopeSealer } from './envelope.ts';

/** Failures within this time share one message, because sealing a message takes about a millisecond. */
const COLLECT_MS = 10;
/** Pending monitors per probe. The others wait for their schedule. */
const MAX_PENDING_MONITORS = 20_000;

interface ConfirmationsDeps {
  bus: Pick<Bus, 'publish'>;
  directory: Pick<FleetDirectory, 'enrolled'>;
  sealer: Pick<EnvelopeSealer, 'seal'>;
  clock: Clock;
}

/**
 * When a probe sees a monitor fail for the first time, makes the monitor's other probes check it at once, so
 * that the verdict need not wait for their schedules. If the order is lost, they check on schedule.
 */
export class Confirmations {
  /** Since the start: checks requested from probes, and those left to the schedule. */
  readonly counts = { requested: 0, omitted: 0 };
  readonly #deps: ConfirmationsDeps;
  readonly #pending = new Map<string, Set<string>>();
  #timer: Timer | null = null;

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** Requests confirmation of a result just applied if it is its region's first failure. */
  onResult(state: MonitorState, region: string, result: CheckResult): void {
    const monitorId = state.config.monitor_id;
    for (const probeId of otherProbes(state, region, result)) this.#add(probeId, monitorId);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #add(probeId: string, monitorId: string): void {
    let pending = this.#pending.get(probeId);
    if (!pending) this.#pending.set(probeId, (pending = new Set()));
    if (pending.size >= MAX_PENDING_MONITORS) this.counts.omitted += 1;
    else pending.add(monitorId);
    this.#timer ??= this.#deps.clock.setTimer(COLLECT_MS, () => this.#send());
  }

  #send(): void {
    const { bus, directory, sealer } = this.#deps;
    this.#timer = null;
    for (const [probeId, pending] of this.#pending) {
      const probe = directory.enrolled(probeId);
      const ids = [...pending];
      if (!probe) this.counts.omitted += ids.length;
      for (let at = 0; probe && at < ids.length; at += MAX_CONFIRMED_MONITORS) {
        const order: ConfirmOrder = { confirm: ids.slice(at, at + MAX_CONFIRMED_MONITORS) };
        bus.publish(subjects.run(probe.region_id, probeId), sealer.seal('run', probe, order));
        this.counts.requested += order.confirm.length;
      }
    }
    this.#pending.clear();
  }
}

/** The probes of other regions that saw the monitor up, if the result is the first failure of its region. */
export function otherProbes(
  { config, status, regions }: MonitorState, region: string, { outcome, started_at: at }: CheckResult,
): string[] {
  if (outcome !== 'failure' || config.status !== 'active' || status === 'down') return [];
  if (regions[region]?.first_fail_at !== at) return [];
  return Object.entries(regions).flatMap(([name, { verdict, fails, probe_id: probeId }]) => {
    const mayDiffer = name !== region && verdict === 'up' && fails === 0 && isAssigned(config, name);
    return mayDiffer && probeId !== null ? [probeId] : [];
  });
}
