import { decodeBatch, encodeBatch, readLaneHeader } from '../../../shared/contracts/result-pack.ts';
import {
  LATEST_INSTANT_MS, laneName, type CheckResult, type ResultBatch,
} from '../../../shared/contracts/result.ts';
import { UuidCache } from '../../../shared/ids.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { isAssigned } from '../../verdicts/votes/quorum-rules.ts';
import { MAX_AHEAD_MS, isAhead, isLate, LATE_AFTER_MS } from '../../verdicts/monitor-rules.ts';
import type { RegionState } from '../../verdicts/monitor-state.ts';
import { letterOf, unreadableLetter, type DeadLetter } from '../dead-letters/dead-letter.ts';
import { type ClockDecision, ENTRY_VERSION, type JournalEntry } from '../journal/journal-store.ts';
import type { ShardState } from '../state/shard-state.ts';
import { nextDueAt } from '../../work/cron-schedule.ts';
import { AssignmentCheck, excessOf, refusalOf, type IntakeContext, type MonitorConfigs } from './acceptance.ts';
import {
  holdBatch, PendingBatches, type PendingBatch, type PendingAcknowledgement, UnjournaledLanes,
} from './pending-batches.ts';
import { withRunTimes, type ReceivedPing } from './ping-rules.ts';
import type { Instant, TakeLimits, TakenMessage } from './take-limits.ts';

/** Limit per journal entry and for the queue. Further pings wait in their collection. */
const MAX_PENDING_PINGS = 2000;

/** The next entry, and the dead letters that must be stored before it. */
export interface NextEntry {
  entry: JournalEntry;
  letters: DeadLetter[];
}

interface BatchOrigin {
  /** The unreadable part of the batch. */
  letter: DeadLetter | null;
  context: IntakeContext;
}

interface AcceptedBatch extends BatchOrigin {
  message: TakenMessage;
  batch: ResultBatch;
  /** Results up to here are already recorded. */
  taken: number;
  waiting: PendingAcknowledgement;
}

/** Collects one shard's input and builds its journal entries, without database access. */
export class EntryBuilder {
  readonly state: ShardState;
  readonly #writer: string;
  readonly #limits: TakeLimits;
  readonly #ids = new UuidCache();
  readonly #pending = new PendingBatches();
  readonly #assignmentCheck: AssignmentCheck;
  #configs = new Map<string, MonitorConfig>();
  #pings = new Map<string, ReceivedPing>();
  #clock: ClockDecision[] = [];
  /** Monitors with unjournaled changes of their assigned regions. */
  #reassigned = new Set<string>();
  readonly #taken = new UnjournaledLanes();
  #inFlight: { entry: JournalEntry; batches: PendingBatch[] } | null = null;
  /** True if a queued item must be written at once. */
  isUrgent = false;
  /** When the oldest queued item arrived, monotonic ms; null if nothing is queued. */
  waitingSince: number | null = null;

  /** `retake` passes a batch to `take` again after it waited for assignments. */
  constructor(
    state: ShardState, writer: string, limits: TakeLimits,
    retake: (message: TakenMessage) => void = () => undefined,
  ) {
    this.state = state;
    this.#writer = writer;
    this.#limits = limits;
    this.#assignmentCheck = new AssignmentCheck(limits.assignments, retake);
  }

  /**
   * Takes a batch by the rule of its lane and responds at once if no journal entry is needed. Returns a dead
   * letter for an unreadable or unacceptable batch; if its lane position is readable, the journal records
   * that as lost and the lane continues. Batches of an unknown region have to be sent again.
   */
  take(message: TakenMessage, now: Instant): DeadLetter | 'unknown_region' | null {
    const { probe_id: probeId, region } = message;
    const { shard } = this.state;
    const facts = this.#limits.intakeFacts(probeId, region);
    if (facts === undefined) return 'unknown_region';
    if (this.#assignmentCheck.isQueued(message)) return null;
    const context: IntakeContext = { shard, region, now: now.wall, limits: this.#limits, ...facts };
    try {
      this.#takeReadable(message, decodeBatch(message.bytes, this.#ids), { letter: null, context }, now);
      return null;
    } catch {
      const letter = unreadableLetter(shard, message, now.wall);
      const header = readLaneHeader(message.bytes);
      if (!header) return letter;
      const { message: readable, batch } = lostBatch(message, header);
      this.#takeReadable(readable, batch, { letter, context }, now);
      return null;
    }
  }

  #takeReadable(
    message: TakenMessage, sent: ResultBatch, { letter, context }: BatchOrigin, now: Instant,
  ): void {
    const lane = laneName(message.probe_id, sent.epoch);
    const journaled = this.state.lanes.position(lane);
    const taken = this.#taken.get(lane) ?? journaled;
    if (sent.last <= journaled || sent.first > taken + 1) return message.acknowledge(journaled);
    const waiting = { lane, last: sent.last, acknowledge: message.acknowledge };
    if (sent.last <= taken) return this.#pending.join(waiting, this.#inFlight?.batches ?? []);
    if (!this.#pending.hasRoom || !this.#taken.hasRoom(lane)) return;
    // Before the entry is built, so that a replay reads corrected times regardless of the clock.
    const { clockShiftMs: shiftMs } = context;
    const { message: readable, batch } =
      shiftMs === 0 ? { message, batch: sent } : rewritten(message, shifted(sent, shiftMs));
    const delay = this.#assignmentCheck.delayOf(message, batch, {
      taken, now, configOf: (id) => this.#latestConfig(id),
      refusalOf: (result) => refusalOf(result, this.#configsOf(result.monitor_id), context),
    });
    if (delay === null) {
      this.#accept({ message: readable, batch, taken, waiting, letter, context }, now);
    } else if (delay === 'again') message.acknowledge(journaled);
  }

  /** Skips configurations that are journaled or queued for the journal. */
  noteConfigs(configs: MonitorConfig[], monotonicNow: number): void {
    const isNew = (config: MonitorConfig): boolean =>
      config.revision > (this.#latestConfig(config.monitor_id)?.revision ?? 0);
    const fresh = configs.filter(isNew);
    for (const config of fresh) {
      const { assigned = null, domains = null } = this.#limits.assigned(config) ?? config;
      this.#configs.set(config.monitor_id, { ...config, assigned, domains });
    }
    if (fresh.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /**
   * Queues pings for the journal. Skips journaled or queued ones, and those whose monitor is not journaled at
   * the revision of their receipt. Returns false if a skipped ping that may change the state must be offered
   * again.
   */
  notePings(pings: ReceivedPing[], monotonicNow: number): boolean {
    let areAllTaken = true;
    const inFlight = new Set(this.#inFlight?.entry.pings.map(({ id }) => id));
    for (const ping of pings) {
      if (this.state.pings.has(ping.id) || this.#pings.has(ping.id) || inFlight.has(ping.id)) continue;
      const config = this.#latestConfig(ping.monitor_id);
      if (!config || config.revision < ping.revision || this.#pings.size >= MAX_PENDING_PINGS) {
        if (config) areAllTaken = false;
        continue;
      }
      this.#pings.set(ping.id, ping);
      const isUp = this.state.monitors.get(ping.monitor_id)?.state.status === 'up';
      this.#waitFrom(monotonicNow, ping.kind === 'fail' || !isUp);
    }
    return areAllTaken;
  }

  /** True while pings wait for the journal. Until it has them, no heartbeat is overdue. */
  get hasPings(): boolean {
    return this.#pings.size > 0 || (this.#inFlight !== null && this.#inFlight.entry.pings.length > 0);
  }

  /** True while decisions of the clock wait for the journal. */
  get hasDecisions(): boolean {
    return this.#clock.length > 0 || (this.#inFlight !== null && this.#inFlight.entry.clock.length > 0);
  }

  noteClock(decisions: ClockDecision[], monotonicNow: number): void {
    this.#clock.push(...decisions);
    if (decisions.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /** The next entry, or the unconfirmed one unchanged; null if there is nothing to write. */
  nextEntry(nowWall: number): NextEntry | null {
    if (!this.#inFlight) this.#build(nowWall);
    if (!this.#inFlight) return null;
    return { entry: this.#inFlight.entry, letters: this.#inFlight.batches.flatMap((batch) => batch.letters) };
  }

  /**
   * Removes the results from the entry in flight, which the database refuses permanently. Returns false if it
   * had none to remove.
   */
  setAsideBatches(nowWall: number): boolean {
    if (!this.#inFlight || this.#inFlight.batches.every(({ count }) => count === 0)) return false;
    const batches = this.#inFlight.batches.map((pending): PendingBatch => {
      const message = { ...pending, acknowledge: () => undefined };
      const { message: { bytes }, batch } = lostBatch(message, pending.batch);
      const letters = [unreadableLetter(this.state.shard, message, nowWall)];
      return { ...pending, bytes, batch, count: 0, refused: [], late: [], letters };
    });
    this.#inFlight = { batches, entry: { ...this.#inFlight.entry, batches } };
    return true;
  }

  /** The entry that was handed out and is not settled; null without any. */
  get inFlight(): JournalEntry | null {
    return this.#inFlight?.entry ?? null;
  }

  /** Acknowledges the results of the entry in flight, which is journaled and applied, to their probes. */
  settled(): JournalEntry {
    const { entry, batches } = this.#inFlight as { entry: JournalEntry; batches: PendingBatch[] };
    this.#inFlight = null;
    for (const { lane, position } of entry.lanes) this.#taken.settle(lane, position);
    if (this.#pending.isEmpty && this.#hasOnlyBatches) this.#stopWaiting();
    for (const batch of batches) {
      for (const { lane, acknowledge } of batch.waiting) acknowledge(this.state.lanes.position(lane));
    }
    return entry;
  }

  #accept({ message, batch, taken, waiting, letter, context }: AcceptedBatch, now: Instant): void {
    const { shard, monitors } = this.state;
    const { region, probe_id, bytes } = message;
    const pending: PendingBatch = {
      probe_id, region, bytes, batch: holdBatch(bytes, batch, this.#ids), count: batch.results.length,
      earliest: Infinity, latest: -Infinity, refused: [], late: [], letters: letter ? [letter] : [],
      waiting: [waiting],
    };
    if (!context.hasVote) pending.muted = true;
    let isUrgent = false;
    for (const result of batch.results) {
      pending.earliest = Math.min(pending.earliest, result.started_at);
      pending.latest = Math.max(pending.latest, result.started_at, result.scheduled_at);
      if (result.seq <= taken) continue;
      const { monitor_id: id } = result;
      const monitor = monitors.get(id);
      const standing = this.#assignmentCheck.standing(message, id, now.wall);
      const configs = this.#configsOf(id, monitor);
      if (configs.latest) this.#reassign(configs.latest, region, now.wall);
      const refusal = refusalOf(result, configs, context) ??
        (standing === 'refused' ? 'not_assigned' : excessOf(result, monitor, configs.latest, region));
      if (refusal) {
        pending.refused.push(result.seq);
        if (refusal === 'deleted') continue;
        pending.letters.push(letterOf(shard, message, batch.epoch, result, refusal, now.wall));
      } else if (standing === 'history') pending.late.push(result.seq);
      else if (!pending.muted && changesSomething(monitor?.state.regions[region], result)) {
        isUrgent = true;
      }
    }
    this.#pending.put(pending);
    this.#taken.set(waiting.lane, batch.last);
    this.#waitFrom(now.monotonic, isUrgent);
  }

  /** Records a newly assigned region now, so that its first vote need not wait for the next scan. */
  #reassign(config: MonitorConfig, region: string, at: number): void {
    const { monitor_id: id } = config;
    if (!isUnassigned(config, region) || this.#reassigned.has(id)) return;
    const found = this.#limits.assigned(config);
    if (!found?.assigned.includes(region)) return;
    this.#reassigned.add(id);
    this.#clock.push({ kind: 'assigned', monitor_id: id, ...found, at });
  }

  #configsOf(monitorId: string, monitor = this.state.monitors.get(monitorId)): MonitorConfigs {
    const journaled = monitor?.state.config;
    return { latest: this.#waitingConfig(monitorId) ?? journaled, journaled };
  }

  /** A monitor's latest configuration: queued, in the entry in flight, or journaled. */
  #latestConfig(monitorId: string): MonitorConfig | undefined {
    return this.#waitingConfig(monitorId) ?? this.state.monitors.get(monitorId)?.state.config;
  }

  #waitingConfig(monitorId: string): MonitorConfig | undefined {
    const waiting = this.#configs.size > 0 ? this.#configs.get(monitorId) : undefined;
    const inFlight = this.#inFlight?.entry.configs;
    if (waiting || !inFlight || inFlight.length === 0) return waiting;
    return inFlight.find((config) => config.monitor_id === monitorId);
  }

  #build(nowWall: number): void {
    const batches = this.#pending.takeForEntry();
    if (batches.length === 0 && this.#hasOnlyBatches) return this.#stopWaiting();
    const lanes = new Map<string, number>();
    for (const pending of batches) {
      lanes.set(laneName(pending.probe_id, pending.batch.epoch), pending.batch.last);
      pending.late = this.#lateOf(pending, nowWall);
    }
    const { shard, n } = this.state;
    const entry: JournalEntry = {
      shard, n: n + 1, v: ENTRY_VERSION, writer: this.#writer, taken_at: nowWall,
      configs: [...this.#configs.values()],
      batches, pings: this.#takePings(), clock: this.#clock,
      lanes: [...lanes].map(([lane, position]) => ({ lane, position })),
    };
    this.#configs = new Map();
    this.#clock = [];
    this.#reassigned.clear();
    this.#inFlight = { entry, batches };
    this.isUrgent = false;
  }

  get #hasOnlyBatches(): boolean {
    return this.#configs.size === 0 && this.#pings.size === 0 && this.#clock.length === 0;
  }

  #takePings(): JournalEntry['pings'] {
    if (this.#pings.size === 0) return [];
    const pings = [...this.#pings.values()];
    this.#pings = new Map();
    const runsOf = (id: string) => this.state.monitors.get(id)?.state.heartbeat?.runs ?? [];
    const startOf = (id: string, runId: string | null) =>
      runsOf(id).find((run) => run.id === runId)?.started_at ?? null;
    const timed = withRunTimes(pings, startOf);
    return timed.map((ping) => {
      const schedule = this.#latestConfig(ping.monitor_id)?.heartbeat?.schedule;
      return schedule ? { ...ping, due_at: nextDueAt(schedule, ping.at) } : ping;
    });
  }

  /** Stored in the entry, because a replay may see a later configuration than the one that decides. */
  #lateOf({ batch, earliest, latest, late, muted }: PendingBatch, takenAt: number): number[] {
    // Late results fill unmonitored time.
    if (muted) return [];
    if (takenAt - earliest <= LATE_AFTER_MS && latest - takenAt <= MAX_AHEAD_MS) return late;
    const lateSeqs = new Set(late);
    return batch.results.flatMap((result) => {
      const { seq, started_at: startedAt, monitor_id: id } = result;
      const config = takenAt - startedAt > LATE_AFTER_MS ? this.#latestConfig(id) : undefined;
      const isOutOfTime = isAhead(result, takenAt) || (config && isLate(config, startedAt, takenAt));
      return isOutOfTime || lateSeqs.has(seq) ? [seq] : [];
    });
  }

  #waitFrom(monotonicNow: number, isUrgent: boolean): void {
    this.waitingSince ??= monotonicNow;
    if (isUrgent) this.isUrgent = true;
  }

  #stopWaiting(): void {
    this.waitingSince = null;
    this.isUrgent = false;
  }
}

function isUnassigned(config: MonitorConfig, region: string): boolean {
  try {
    return !isAssigned(config, region);
  } catch {
    // Handled where the monitor's own rules run.
    return false;
  }
}

/** Failures, first results and recoveries are written at once. A repeated outcome may wait a second. */
function changesSomething(region: RegionState | undefined, result: CheckResult): boolean {
  if (result.outcome === 'missed') return false;
  if (!region || region.verdict === 'unknown' || result.reason !== 'schedule') return true;
  return result.outcome === 'failure'
    ? region.verdict !== 'down'
    : region.verdict === 'down' || region.fails > 0;
}

/** The journal record of a batch that is set aside: its lane positions, declared lost. */
function lostBatch(
  message: TakenMessage, { epoch, first, last }: Pick<ResultBatch, 'epoch' | 'first' | 'last'>,
): { message: TakenMessage; batch: ResultBatch } {
  const dropped = [{ first, last, reason: 'unreadable' as const }];
  return rewritten(message, { epoch, engine: '', first, last, results: [], dropped });
}

/**
 * A batch in its own bytes.
 * @throws Error if they do not decode: the journal must not contain unreadable batches.
 */
function rewritten(
  message: TakenMessage, batch: ResultBatch,
): { message: TakenMessage; batch: ResultBatch } {
  const bytes = encodeBatch(batch);
  return { message: { ...message, bytes }, batch: decodeBatch(bytes) };
}

/** The batch with timestamps corrected by `shiftMs`. */
function shifted(batch: ResultBatch, shiftMs: number): ResultBatch {
  const moved = (at: number): number => Math.min(LATEST_INSTANT_MS, Math.max(0, at + shiftMs));
  const results = batch.results.map((result) => ({
    ...result, scheduled_at: moved(result.scheduled_at), started_at: moved(result.started_at),
  }));
  return { ...batch, results };
}
