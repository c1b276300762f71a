import PQueue from 'p-queue';
import { type Assignment, type ConfirmOrder, MAX_CONFIRMED_MONITORS } from '../../shared/contracts/assignment.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { Liveness } from '../probes/liveness.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { MonitorState, Witness } from '../verdicts/monitor-state.ts';
import { needsMoreVotes } from '../verdicts/status/status-rules.ts';
import { assignedRegions, isAssigned, voteOf } from '../verdicts/votes/quorum-rules.ts';
import { chooseProbe, chooseSome, domainOf } from './assigned-regions.ts';
import type { EnvelopeSealer } from './envelope.ts';
import type { RunNow } from './run-now.ts';
import type { AssignmentStore } from './store.ts';

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
    this.request(state.config.monitor_id, otherProbes(state, region, result));
  }

  /** Makes these probes check the monitor at once, with rechecks. */
  request(monitorId: string, probeIds: string[]): void {
    for (const probeId of probeIds) this.#add(probeId, monitorId);
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

/** Regions asked about one monitor. */
const MAX_REGIONS = 3;
/** Monitors asked about concurrently; beyond these and the waiting ones, requests are omitted. */
const MAX_CONCURRENT = 32;
const MAX_WAITING = 500;
/** Monitors remembered, so that each is asked about at most once per interval. */
const MAX_REMEMBERED_MONITORS = 10_000;
/** Added to the check's timeout, for its start and the bus round trip. */
const GRACE_MS = 5000;

/** The vote of a region without the monitor, for a check of that revision. */
export interface WitnessVote {
  monitor_id: string;
  region: string;
  check_revision: number;
  witness: Witness;
}

type WitnessedMonitor =
  Pick<MonitorConfig, 'monitor_id' | 'organization_id' | 'assigned' | 'monitoring_regions'>;

interface WitnessesDeps {
  items: Pick<AssignmentStore, 'ofMonitors'>;
  directory: Pick<FleetDirectory, 'regions' | 'probesOf' | 'probe'>;
  liveness: Pick<Liveness, 'liveProbes'>;
  runNow: Pick<RunNow, 'order'>;
  clock: Clock;
  log: Log;
}

/**
 * Asks probes without the monitor to check it when too few of its regions report. Nothing waits for them:
 * without a vote in time, the minority verdict is accepted.
 */
export class Witnesses {
  /** Since the start: monitors asked about, and those omitted because of the limit. */
  readonly counts = { requested: 0, omitted: 0 };
  readonly #deps: WitnessesDeps;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });
  /** When witnesses were last asked about each monitor, monotonic ms. */
  readonly #requestedAtMono = new Map<string, number>();

  constructor(deps: WitnessesDeps) {
    this.#deps = deps;
  }

  /**
   * Asks for votes if the monitor needs them and none were requested in this interval. Calls `onVote` for
   * each.
   */
  request(state: MonitorState, onVote: (vote: WitnessVote) => void): void {
    if (!needsMoreVotes(state) || !this.#isDue(state)) return;
    const regions = this.#regionsFor(state);
    if (regions.length === 0) return;
    if (this.#queue.size >= MAX_WAITING) {
      this.counts.omitted += 1;
      return;
    }
    this.counts.requested += 1;
    this.#queue.add(() => this.#requestVotes(state, regions, onVote)).catch(
      (error: unknown) => this.#deps.log.warn({ err: error }, 'could not ask witnesses'),
    );
  }

  /**
   * Whether a live probe may still vote: in a silent region of the monitor, or in a possible witness region.
   */
  canGetMoreVotes(state: MonitorState): boolean {
    const silent = assignedRegions(state).filter((region) => voteOf(state, region) === null);
    return silent.some((region) => this.#trusted(region).length > 0) || this.#regionsFor(state).length > 0;
  }

  stop(): void {
    this.#queue.clear();
  }

  #isDue({ config: { monitor_id: id, interval_ms: intervalMs } }: MonitorState): boolean {
    const now = this.#deps.clock.monotonic();
    const requestedAtMono = this.#requestedAtMono.get(id) ?? -Infinity;
    if (now - requestedAtMono < intervalMs) return false;
    if (this.#requestedAtMono.size >= MAX_REMEMBERED_MONITORS) this.#requestedAtMono.clear();
    this.#requestedAtMono.set(id, now);
    return true;
  }

  #regionsFor({ config, regions }: MonitorState): string[] {
    const voting = Object.keys(regions).filter((name) => regions[name]?.verdict !== 'unknown');
    return this.possibleRegions(config, voting);
  }

  /** Regions without the monitor that may check it, in networks without any of `voting`. */
  possibleRegions(config: WitnessedMonitor, voting: readonly string[]): string[] {
    const { directory } = this.#deps;
    const domain = (region: string) => domainOf(directory.probesOf(region));
    const votingDomains =
      voting.filter((name) => isAssigned(config, name)).flatMap((name) => domain(name) ?? []);
    const others = directory.regions().filter((region) => {
      const isAllowed = region.visibility === 'shared' || region.organization_id === config.organization_id;
      return isAllowed && !isAssigned(config, region._id) && !votingDomains.includes(domain(region._id) ?? ' ')
        && this.#trusted(region._id).length > 0;
    });
    return chooseSome(config.monitor_id, others.map(({ _id }) => _id), MAX_REGIONS);
  }

  /** Live probes of a region that have a vote. */
  #trusted(region: string): string[] {
    const live = this.#deps.liveness.liveProbes(region);
    return live.filter(({ quarantine }) => !quarantine).map((probe) => probe._id);
  }

  async #requestVotes(
    { config }: MonitorState, regions: string[], onVote: (vote: WitnessVote) => void,
  ): Promise<void> {
    const { monitor_id, check_revision } = config;
    const held = await this.#deps.items.ofMonitors([monitor_id]);
    const found = held.find(({ assignment }) => assignment?.assignment_rev === check_revision);
    const assignment = found?.assignment;
    if (!assignment) return;
    await Promise.all(regions.map(async (region) => {
      const witness = await this.#requestVote(region, assignment);
      if (witness) onVote({ monitor_id, region, check_revision, witness });
    }));
  }

  /** Rechecks a failure as often as the monitor's own probes do. */
  async #requestVote(region: string, assignment: Assignment): Promise<Witness | null> {
    const { clock, directory, runNow } = this.#deps;
    const probeId = chooseProbe(assignment.monitor_id, this.#trusted(region));
    if (probeId === null) return null;
    const order = { assignment, reason: 'confirm', record: false } as const;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await runNow.order(region, probeId, order, assignment.timeout_ms + GRACE_MS);
      if (!('result' in outcome) || outcome.result.outcome === 'missed') return null;
      const { outcome: checkOutcome, error } = outcome.result;
      if (checkOutcome === 'failure' && attempt <= assignment.retries) continue;
      const domain = domainOf(directory.probesOf(region));
      return {
        vote: checkOutcome === 'success' ? 'up' : 'down', probe_id: probeId,
        engine: directory.probe(probeId)?.version ?? '', error, attempt, at: clock.now(),
        ...(domain === null ? {} : { domain }),
      };
    }
  }
}
