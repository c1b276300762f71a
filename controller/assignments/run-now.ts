import { BusError } from '../../shared/bus-error.ts';
import { runResponse, type Assignment, type RunOrder } from '../../shared/contracts/assignment.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import {
  EXAMINATION_MS, examineResponse, MAX_EXAMINATION_BYTES, type Examination, type ExamineOrder,
} from '../../shared/contracts/examination.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects, type ProbeAddress } from '../../shared/contracts/subjects.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { CheckRunner, RegionRun } from '../monitors/ports.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { Liveness } from '../probes/liveness.ts';
import type { ProbeRate } from '../probes/probe-rate.ts';
import type { Assigned } from '../verdicts/monitor-state.ts';
import { chooseProbe, withSharedDomains } from './assigned-regions.ts';
import type { AssignmentDoc } from './assignment-doc.ts';
import type { EnvelopeSealer } from './envelope.ts';
import type { Placement } from './placement.ts';
import type { AssignmentStore } from './store.ts';

/** Added to the check's timeout, for its start and the bus round trip. */
const GRACE_MS = 5000;
/** Enough for one result, which takes about 2 kB. */
const MAX_RESPONSE_BYTES = 65_536;

/**
 * `unreachable`: no probe received the order; `timeout`: one may have; `refused`: the response was invalid.
 */
type Failure = { failure: 'unreachable' | 'timeout' | 'refused' };
type RunOutcome = { result: CheckResult } | Failure;

interface RunNowDeps {
  placement: Placement;
  items: AssignmentStore;
  liveness: Liveness;
  directory: FleetDirectory;
  bus: Bus;
  sealer: EnvelopeSealer;
  rate: ProbeRate;
}

/** Runs a monitor's check now, in all of its regions concurrently. */
export class RunNow implements CheckRunner {
  readonly #deps: RunNowDeps;

  constructor(deps: RunNowDeps) {
    this.#deps = deps;
  }

  async assignedOf(monitor: MonitorDoc): Promise<Assigned> {
    const { directory, placement } = this.#deps;
    return withSharedDomains(directory, await placement.regionsOf(monitor));
  }

  noVoteReason(regionId: string): ReturnType<CheckRunner['noVoteReason']> {
    const live = this.#deps.liveness.liveProbes(regionId);
    if (live.length === 0) return 'no_live_probe';
    return live.every(({ quarantine }) => quarantine) ? 'quarantined' : null;
  }

  /**
   * One entry per region, in order of its id, within the monitor's timeout plus 5 s. A result affects the
   * monitor only if its assigned probe made it. Results of an unsaved monitor never do.
   */
  async run(monitor: MonitorDoc, isSaved: boolean): Promise<RegionRun[]> {
    const assignments = await this.#deps.placement.assignmentsOf(monitor);
    const held = isSaved ? await this.#deps.items.ofMonitors([monitor._id]) : [];
    return Promise.all([...assignments].map(([region, assignment]) => this.#runIn(region, assignment, held)));
  }

  /** Makes a probe run one check now. Never rejects because of the probe or the network. */
  async order(region: string, probeId: string, order: RunOrder, timeoutMs: number): Promise<RunOutcome> {
    const outcome = await this.#request({ region, probeId }, order, timeoutMs);
    if ('failure' in outcome) return outcome;
    const result = decodeJson(runResponse, outcome.response, MAX_RESPONSE_BYTES)?.result;
    return result?.monitor_id === order.assignment.monitor_id ? { result } : { failure: 'refused' };
  }

  /** Makes a probe examine a target now. Null if it does not respond in time. */
  async examine(region: string, probeId: string, assignment: Assignment): Promise<Examination | null> {
    const order = { examine: assignment };
    const outcome = await this.#request({ region, probeId }, order, EXAMINATION_MS + GRACE_MS);
    if ('failure' in outcome) return null;
    const found = decodeJson(examineResponse, outcome.response, MAX_EXAMINATION_BYTES)?.examination;
    return found?.monitor_id === assignment.monitor_id ? found : null;
  }

  async #request(
    { region, probeId }: ProbeAddress, order: RunOrder | ExamineOrder, timeoutMs: number,
  ): Promise<{ response: Uint8Array } | Failure> {
    const { bus, directory, sealer, rate } = this.#deps;
    const probe = await directory.findEnrolled({ region, probeId });
    if (!probe) return { failure: 'unreachable' };
    try {
      const envelope = sealer.seal('run', probe, order);
      const response = await bus.request(subjects.run(region, probeId), envelope, { timeoutMs });
      return rate.admits(probeId) ? { response } : { failure: 'refused' };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return { failure: error.failure === 'timeout' ? 'timeout' : 'unreachable' };
    }
  }

  async #runIn(region: string, assignment: Assignment, held: AssignmentDoc[]): Promise<RegionRun> {
    const live = this.#deps.liveness.liveProbes(region).map((probe) => probe._id);
    const isHolder = (item: AssignmentDoc) =>
      item.region === region && item.assignment !== null && live.includes(item.probe_id);
    const holder = held.find(isHolder);
    const probeId = holder?.probe_id ?? chooseProbe(assignment.monitor_id, live);
    if (probeId === null) return { region, probe_id: null, result: null, reason: 'no_live_probe' };
    const record = holder?.assignment?.assignment_rev === assignment.assignment_rev;
    const order = { assignment, reason: 'manual', record } as const;
    const outcome = await this.order(region, probeId, order, assignment.timeout_ms + GRACE_MS);
    return 'result' in outcome
      ? { region, probe_id: probeId, result: outcome.result, reason: null }
      : { region, probe_id: probeId, result: null, reason: outcome.failure };
  }
}
