import { decodeBatch, encodeBatch, readLaneHeader } from '../../../shared/contracts/result-pack.ts';
import {
  LATEST_INSTANT_MS, laneName, type CheckResult, type ResultBatch,
} from '../../../shared/contracts/result.ts';
import { UuidCache } from '../../../shared/contracts/uuid-cache.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { AHEAD_MS, isAhead, isLate, LATE_AFTER_MS } from '../../verdicts/monitor-rules.ts';
import type { RegionState } from '../../verdicts/monitor-state.ts';
import { letterOf, unreadableLetter, type DeadLetter } from '../dead-letters/dead-letter.ts';
import { ENTRY_VERSION, type ClockDecision, type JournalEntry } from '../journal/journal-entry.ts';
import type { ShardState } from '../state/shard-state.ts';
import { ClaimCheck } from './claim-check.ts';
import { holdBatch, PendingBatches, type PendingBatch, type Waiting } from './pending-batches.ts';
import { withRunTimes, type ReceivedPing } from './ping-rules.ts';
import { refusalOf, type Arrival, type KnownConfigs } from './refusal-rules.ts';
import type { Instant, TakeLimits, TakenMessage } from './take-limits.ts';
import { UnjournaledLanes } from './unjournaled-lanes.ts';

/** Limit per journal entry and for the queue; further pings wait in their collection. */
const PENDING_PINGS = 2000;

/** An entry to be written, and the dead letters that have to be stored before it. */
export interface NextEntry {
  entry: JournalEntry;
  letters: DeadLetter[];
}

interface AcceptedBatch {
  message: TakenMessage;
  batch: ResultBatch;
  waiting: Waiting;
  letter: DeadLetter | null;
  arrival: Arrival;
}

/** Collects what is meant for one shard and builds its journal entries. It knows no database. */
export class EntryBuilder {
  readonly state: ShardState;
  readonly #writer: string;
  readonly #limits: TakeLimits;
  readonly #ids = new UuidCache();
  readonly #pending = new PendingBatches();
  readonly #claims: ClaimCheck;
  #configs = new Map<string, MonitorConfig>();
  #pings = new Map<string, ReceivedPing>();
  #clock: ClockDecision[] = [];
  readonly #taken = new UnjournaledLanes();
  #inHand: { entry: JournalEntry; batches: PendingBatch[] } | null = null;
  /** True when a waiting item must be written at once. */
  isUrgent = false;
  /** When the oldest waiting item came, monotonic ms; null when nothing waits. */
  waitingSince: number | null = null;

  /** `retake` brings a batch back to `take` that had to wait for what the database has of assignments. */
  constructor(
    state: ShardState, writer: string, limits: TakeLimits,
    retake: (message: TakenMessage) => void = () => undefined,
  ) {
    this.state = state;
    this.#writer = writer;
    this.#limits = limits;
    this.#claims = new ClaimCheck(limits.assignments, retake);
  }

  /**
   * Takes a batch by the rule of its lane; answers at once what needs no journal. An unreadable batch is
   * returned as a dead letter; when its place in the lane is readable, the journal records that place as lost
   * and the lane goes on.
   */
  take(message: TakenMessage, now: Instant): DeadLetter | null {
    const regionOwner = this.#limits.regionOwner(message.region);
    if (regionOwner === undefined || this.#claims.isBehind(message)) return null;
    let batch: ResultBatch;
    let letter: DeadLetter | null = null;
    try {
      batch = decodeBatch(message.bytes, this.#ids);
    } catch {
      letter = unreadableLetter(this.state.shard, message, now.wall);
      const header = readLaneHeader(message.bytes);
      if (!header) return letter;
      const { first, last } = header;
      batch = { ...header, engine: '', results: [], dropped: [{ first, last, reason: 'unreadable' }] };
    }
    const lane = laneName(message.probe_id, batch.epoch);
    const journaled = this.state.lanes.position(lane);
    const taken = this.#taken.get(lane) ?? journaled;
    if (batch.last <= journaled || batch.first > taken + 1) {
      message.answer(journaled);
      return null;
    }
    // Before the entry is built: a replay then reads corrected times, whatever the clock is by then.
    const shiftMs = this.#limits.clockShiftMs(message.probe_id);
    if (shiftMs !== 0) batch = shifted(batch, shiftMs);
    const readable = letter || shiftMs !== 0 ? { ...message, bytes: encodeBatch(batch) } : message;
    const waiting = { lane, last: batch.last, answer: message.answer };
    if (batch.last <= taken) this.#pending.join(waiting, this.#inHand?.batches ?? []);
    else if (this.#pending.hasRoom && this.#taken.hasRoom(lane)) {
      const { region } = message;
      const arrival =
        { shard: this.state.shard, region, owner: regionOwner, now: now.wall, limits: this.#limits };
      const delay = this.#claims.delayOf(message, batch, {
        taken, now, configOf: (id) => this.#latestConfig(id),
        refusalOf: (result) => refusalOf(result, this.#configsOf(result.monitor_id), arrival),
      });
      if (delay === null) this.#accept({ message: readable, batch, waiting, letter, arrival }, now);
      else if (delay === 'again') message.answer(journaled);
    }
    return null;
  }

  /** Ignores configurations that the journal has, or that are on their way into it. */
  noteConfigs(configs: MonitorConfig[], monotonicNow: number): void {
    const isNew = (config: MonitorConfig): boolean =>
      config.revision > (this.#latestConfig(config.monitor_id)?.revision ?? 0);
    const fresh = configs.filter(isNew);
    for (const config of fresh) this.#configs.set(config.monitor_id, config);
    if (fresh.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /**
   * Takes pings on their way into the journal. A ping is left out, to be offered again, while the journal
   * does not know its monitor at the revision under which it was received; so is one that the journal has or
   * is about to get. Returns false when a ping that may change a monitor's state has to be offered again.
   */
  notePings(pings: ReceivedPing[], monotonicNow: number): boolean {
    let areAllTaken = true;
    const inHand = new Set(this.#inHand?.entry.pings.map(({ id }) => id));
    for (const ping of pings) {
      if (this.state.pings.has(ping.id) || this.#pings.has(ping.id) || inHand.has(ping.id)) continue;
      const config = this.#latestConfig(ping.monitor_id);
      if (!config || config.revision < ping.revision || this.#pings.size >= PENDING_PINGS) {
        if (config) areAllTaken = false;
        continue;
      }
      this.#pings.set(ping.id, ping);
      const isUp = this.state.monitors.get(ping.monitor_id)?.state.status === 'up';
      this.#waitFrom(monotonicNow, ping.kind === 'fail' || !isUp);
    }
    return areAllTaken;
  }

  /** True while pings wait for the journal: until it has them, no heartbeat is overdue. */
  get hasPings(): boolean {
    return this.#pings.size > 0 || (this.#inHand !== null && this.#inHand.entry.pings.length > 0);
  }

  /** True while decisions of the clock wait for the journal. */
  get hasDecisions(): boolean {
    return this.#clock.length > 0 || (this.#inHand !== null && this.#inHand.entry.clock.length > 0);
  }

  noteClock(decisions: ClockDecision[], monotonicNow: number): void {
    this.#clock.push(...decisions);
    if (decisions.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /** The next entry, or the unanswered one unchanged; null when there is nothing to write. */
  nextEntry(nowWall: number): NextEntry | null {
    if (!this.#inHand) this.#build(nowWall);
    if (!this.#inHand) return null;
    return { entry: this.#inHand.entry, letters: this.#inHand.batches.flatMap((batch) => batch.letters) };
  }

  /** The entry that was handed out and is not settled; null when there is none. */
  get inHand(): JournalEntry | null {
    return this.#inHand?.entry ?? null;
  }

  /** Answers the probes of the entry in hand, which is in the journal and applied to the state. */
  settled(): JournalEntry {
    const { entry, batches } = this.#inHand as { entry: JournalEntry; batches: PendingBatch[] };
    this.#inHand = null;
    for (const { lane, position } of entry.lanes) this.#taken.settle(lane, position);
    if (this.#pending.isEmpty && this.#hasOnlyBatches) this.#stopWaiting();
    for (const batch of batches) {
      for (const { lane, answer } of batch.waiting) answer(this.state.lanes.position(lane));
    }
    return entry;
  }

  #accept({ message, batch, waiting, letter, arrival }: AcceptedBatch, now: Instant): void {
    const { shard, monitors } = this.state;
    const { region, probe_id, bytes } = message;
    const known = this.#taken.get(waiting.lane) ?? this.state.lanes.position(waiting.lane);
    const pending: PendingBatch = {
      probe_id, region, bytes, batch: holdBatch(bytes, batch, this.#ids), count: batch.results.length,
      earliest: Infinity, latest: -Infinity, refused: [], late: [], letters: letter ? [letter] : [],
      waiting: [waiting],
    };
    let isUrgent = false;
    for (const result of batch.results) {
      pending.earliest = Math.min(pending.earliest, result.started_at);
      pending.latest = Math.max(pending.latest, result.started_at, result.scheduled_at);
      if (result.seq <= known) continue;
      const { monitor_id: id } = result;
      const standing = this.#claims.standing(message, id, now.wall);
      const refusal = refusalOf(result, this.#configsOf(id), arrival) ??
        (standing === 'refused' ? 'not_assigned' : null);
      if (refusal) {
        pending.refused.push(result.seq);
        if (refusal === 'deleted') continue;
        pending.letters.push(letterOf(shard, message, batch.epoch, result, refusal, now.wall));
      } else if (standing === 'history') pending.late.push(result.seq);
      else if (changesSomething(monitors.get(id)?.state.regions[region], result)) isUrgent = true;
    }
    this.#pending.put(pending);
    this.#taken.set(waiting.lane, batch.last);
    this.#waitFrom(now.monotonic, isUrgent);
  }

  #configsOf(monitorId: string): KnownConfigs {
    const journaled = this.state.monitors.get(monitorId)?.state.config;
    return { latest: this.#waitingConfig(monitorId) ?? journaled, journaled };
  }

  /** A monitor's newest configuration: one that waits or is on its way to the journal, or the journal's. */
  #latestConfig(monitorId: string): MonitorConfig | undefined {
    return this.#waitingConfig(monitorId) ?? this.state.monitors.get(monitorId)?.state.config;
  }

  #waitingConfig(monitorId: string): MonitorConfig | undefined {
    const waiting = this.#configs.size > 0 ? this.#configs.get(monitorId) : undefined;
    const inHand = this.#inHand?.entry.configs;
    if (waiting || !inHand || inHand.length === 0) return waiting;
    return inHand.find((config) => config.monitor_id === monitorId);
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
    this.#inHand = { entry, batches };
    this.isUrgent = false;
  }

  get #hasOnlyBatches(): boolean {
    return this.#configs.size === 0 && this.#pings.size === 0 && this.#clock.length === 0;
  }

  #takePings(): JournalEntry['pings'] {
    const pings = [...this.#pings.values()];
    this.#pings = new Map();
    return withRunTimes(pings, (id) => this.state.monitors.get(id)?.state.heartbeat?.started_at ?? null);
  }

  /** Journaled, because a replay may find a later configuration in the state than the one that decides. */
  #lateOf({ batch, earliest, latest, late }: PendingBatch, takenAt: number): number[] {
    if (takenAt - earliest <= LATE_AFTER_MS && latest - takenAt <= AHEAD_MS) return late;
    const known = new Set(late);
    return batch.results.flatMap((result) => {
      const { seq, started_at: startedAt, monitor_id: id } = result;
      const config = takenAt - startedAt > LATE_AFTER_MS ? this.#latestConfig(id) : undefined;
      const isOutOfTime = isAhead(result, takenAt) || (config && isLate(config, startedAt, takenAt));
      return isOutOfTime || known.has(seq) ? [seq] : [];
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

/** A failure, a first result or a recovery is written at once; one more of the same may wait a second. */
function changesSomething(known: RegionState | undefined, result: CheckResult): boolean {
  if (result.outcome === 'missed') return false;
  if (!known || known.verdict === 'unknown' || result.reason !== 'schedule') return true;
  return result.outcome === 'failure'
    ? known.verdict !== 'down'
    : known.verdict === 'down' || known.fails > 0;
}

/** The batch as a probe with the right time would have sent it. */
function shifted(batch: ResultBatch, shiftMs: number): ResultBatch {
  const moved = (at: number): number => Math.min(LATEST_INSTANT_MS, Math.max(0, at + shiftMs));
  const results = batch.results.map((result) => ({
    ...result, scheduled_at: moved(result.scheduled_at), started_at: moved(result.started_at),
  }));
  return { ...batch, results };
}
