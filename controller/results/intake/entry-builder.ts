import { decodeBatch, encodeBatch, readLaneHeader } from '../../../shared/contracts/result-pack.ts';
import { UuidCache } from '../../../shared/contracts/uuid-cache.ts';
import { LATEST_INSTANT_MS, laneName, type CheckResult, type ResultBatch } from '../../../shared/contracts/result.ts';
import { isLate, LATE_AFTER_MS } from '../../verdicts/monitor-rules.ts';
import type { RegionState } from '../../verdicts/monitor-state.ts';
import { holdBatch } from './held-batch.ts';
import { ENTRY_VERSION, type ClockDecision, type JournalEntry } from '../journal/journal-entry.ts';
import type { DeadLetter } from '../dead-letters/dead-letter.ts';
import { letterOf, unreadableLetter } from '../dead-letters/dead-letter.ts';
import { PendingBatches, type PendingBatch, type Waiting } from './pending-batches.ts';
import { withRunTimes, type ReceivedPing } from './ping-rules.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import { refusalOf } from './refusal-rules.ts';
import type { ShardState } from '../state/shard-state.ts';
import type { Instant, TakeLimits, TakenMessage } from './take-limits.ts';

/** Most pings of one journal entry, and most that may wait; the rest stays in its collection. */
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
  regionOwner: string | null;
}

/** Takes what is meant for one shard and forms its journal entries. It knows no database: the shard has them written. */
export class EntryBuilder {
  readonly state: ShardState;
  readonly #writer: string;
  readonly #limits: TakeLimits;
  readonly #ids = new UuidCache();
  readonly #pending = new PendingBatches();
  #configs = new Map<string, MonitorConfig>();
  #pings = new Map<string, ReceivedPing>();
  #clock: ClockDecision[] = [];
  /** Positions that count what is pending, so that a lane is taken strictly in order. */
  #taken = new Map<string, number>();
  #inHand: { entry: JournalEntry; batches: PendingBatch[] } | null = null;
  /** Something waits that must not wait for the next second. */
  isUrgent = false;
  /** When the oldest thing that waits came, monotonic ms; null when nothing waits. */
  waitingSince: number | null = null;

  constructor(state: ShardState, writer: string, limits: TakeLimits) {
    this.state = state;
    this.#writer = writer;
    this.#limits = limits;
  }

  /**
   * Takes a batch by the rule of its lane; answers at once what needs no journal. What cannot be read comes back as a
   * dead letter; where its place in the lane is known, that place is journaled as lost and the lane goes on.
   */
  take(message: TakenMessage, now: Instant): DeadLetter | null {
    const regionOwner = this.#limits.regionOwner(message.region);
    if (regionOwner === undefined) return null;
    let batch: ResultBatch;
    let letter: DeadLetter | null = null;
    try {
      batch = decodeBatch(message.bytes, this.#ids);
    } catch {
      letter = unreadableLetter(this.state.shard, message, now.wall);
      const header = readLaneHeader(message.bytes);
      if (!header) return letter;
      batch = { ...header, engine: '', results: [], dropped: [{ first: header.first, last: header.last, reason: 'unreadable' }] };
    }
    const lane = laneName(message.probe_id, batch.epoch);
    const journaled = this.state.position(lane);
    const taken = this.#taken.get(lane) ?? journaled;
    if (batch.last <= journaled || batch.first > taken + 1) {
      message.answer(journaled);
      return null;
    }
    // Before the entry is formed: whoever replays it reads corrected times, whatever the clock is by then.
    const shiftMs = this.#limits.clockShiftMs(message.probe_id);
    if (shiftMs !== 0) batch = shifted(batch, shiftMs);
    const readable = letter || shiftMs !== 0 ? { ...message, bytes: encodeBatch(batch) } : message;
    const waiting = { lane, last: batch.last, answer: message.answer };
    if (batch.last <= taken) this.#pending.join(waiting, this.#inHand?.batches ?? []);
    else if (this.#pending.hasRoom) this.#accept({ message: readable, batch, waiting, letter, regionOwner }, now);
    return null;
  }

  /** Those that the journal has already, or that are on their way into it, are left out. */
  noteConfigs(configs: MonitorConfig[], monotonicNow: number): void {
    const fresh = configs.filter((config) => config.revision > (this.#latestConfig(config.monitor_id)?.revision ?? 0));
    for (const config of fresh) this.#configs.set(config.monitor_id, config);
    if (fresh.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /**
   * Takes pings on their way into the journal. Left out, to be offered again: those whose monitor the journal does not know at
   * the revision that they were received under; and those that the journal has, or that are on their way into it.
   * False when some have to be offered again that may change a monitor's state.
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
      this.#waitFrom(monotonicNow, ping.kind === 'fail' || this.state.monitors.get(ping.monitor_id)?.state.status !== 'up');
    }
    return areAllTaken;
  }

  /** Whether pings wait for the journal: until they are in it nobody is overdue. */
  get hasPings(): boolean {
    return this.#pings.size > 0 || (this.#inHand !== null && this.#inHand.entry.pings.length > 0);
  }

  /** Whether decisions of the clock wait for the journal. */
  get hasDecisions(): boolean {
    return this.#clock.length > 0 || (this.#inHand !== null && this.#inHand.entry.clock.length > 0);
  }

  noteClock(decisions: ClockDecision[], monotonicNow: number): void {
    this.#clock.push(...decisions);
    if (decisions.length > 0) this.#waitFrom(monotonicNow, true);
  }

  /** The next entry, or the one that is still without an answer, unchanged; null when there is nothing to write. */
  nextEntry(nowWall: number): NextEntry | null {
    if (!this.#inHand) this.#form(nowWall);
    if (!this.#inHand) return null;
    return { entry: this.#inHand.entry, letters: this.#inHand.batches.flatMap((batch) => batch.letters) };
  }

  /** The entry that was given out and not settled; null when there is none. */
  get inHand(): JournalEntry | null {
    return this.#inHand?.entry ?? null;
  }

  /** To be called when the entry is in the journal and the snapshot does not contradict it: answers the probes. */
  settled(): JournalEntry {
    const { entry, batches } = this.#inHand as { entry: JournalEntry; batches: PendingBatch[] };
    this.#inHand = null;
    for (const [lane, position] of entry.lanes) if (this.#taken.get(lane) === position) this.#taken.delete(lane);
    if (this.#pending.isEmpty && this.#hasOnlyBatches) this.#stopWaiting();
    for (const batch of batches) {
      for (const { lane, answer } of batch.waiting) answer(this.state.position(lane));
    }
    return entry;
  }

  #accept(taken: AcceptedBatch, now: Instant): void {
    const { message, batch, waiting, letter, regionOwner } = taken;
    const known = this.#taken.get(waiting.lane) ?? this.state.position(waiting.lane);
    const pending: PendingBatch = {
      probe_id: message.probe_id, region: message.region, bytes: message.bytes,
      batch: holdBatch(message.bytes, batch, this.#ids), count: batch.results.length, earliest: Infinity, latest: -Infinity, refused: [], late: [],
      letters: letter ? [letter] : [], waiting: [waiting],
    };
    const arrival = { shard: this.state.shard, region: message.region, owner: regionOwner, now: now.wall, limits: this.#limits };
    let urgent = false;
    for (const result of batch.results) {
      pending.earliest = Math.min(pending.earliest, result.started_at);
      pending.latest = Math.max(pending.latest, result.started_at);
      if (result.seq <= known) continue;
      const cell = this.state.monitors.get(result.monitor_id);
      const journaled = cell?.state.config;
      const refusal = refusalOf(result, { latest: this.#waitingConfig(result.monitor_id) ?? journaled, journaled }, arrival);
      if (refusal) {
        pending.refused.push(result.seq);
        if (refusal !== 'deleted') pending.letters.push(letterOf(this.state.shard, message, batch.epoch, result, refusal, now.wall));
      } else if (changesSomething(cell?.state.regions[message.region], result)) urgent = true;
    }
    this.#pending.put(pending);
    this.#taken.set(waiting.lane, batch.last);
    this.#waitFrom(now.monotonic, urgent);
  }

  /** The newest configuration of a monitor: one that waits, one on its way into the journal, or the journal's. */
  #latestConfig(monitorId: string): MonitorConfig | undefined {
    return this.#waitingConfig(monitorId) ?? this.state.monitors.get(monitorId)?.state.config;
  }

  #waitingConfig(monitorId: string): MonitorConfig | undefined {
    const waiting = this.#configs.size > 0 ? this.#configs.get(monitorId) : undefined;
    const inHand = this.#inHand?.entry.configs;
    return waiting ?? (inHand && inHand.length > 0 ? inHand.find((config) => config.monitor_id === monitorId) : undefined);
  }

  #form(nowWall: number): void {
    const batches = this.#pending.takeForEntry();
    if (batches.length === 0 && this.#hasOnlyBatches) return this.#stopWaiting();
    const lanes = new Map<string, number>();
    for (const pending of batches) {
      lanes.set(laneName(pending.probe_id, pending.batch.epoch), pending.batch.last);
      pending.late = this.#lateOf(pending, nowWall);
    }
    const entry: JournalEntry = {
      shard: this.state.shard, n: this.state.n + 1, v: ENTRY_VERSION, writer: this.#writer, taken_at: nowWall,
      configs: [...this.#configs.values()], batches, pings: this.#takePings(), clock: this.#clock, lanes: [...lanes],
    };
    this.#configs = new Map();
    this.#clock = [];
    this.#inHand = { entry, batches };
    this.isUrgent = false;
  }

  /** Whether nothing else than batches waits. */
  get #hasOnlyBatches(): boolean {
    return this.#configs.size === 0 && this.#pings.size === 0 && this.#clock.length === 0;
  }

  #takePings(): JournalEntry['pings'] {
    const pings = [...this.#pings.values()];
    this.#pings = new Map();
    return withRunTimes(pings, (id) => this.state.monitors.get(id)?.state.heartbeat?.started_at ?? null);
  }

  /** Journaled, because a replay may meet a later configuration in the state than the one that this is judged by. */
  #lateOf({ batch, earliest, latest }: PendingBatch, takenAt: number): number[] {
    if (takenAt - earliest <= LATE_AFTER_MS && latest - takenAt <= LATE_AFTER_MS) return [];
    return batch.results.flatMap(({ seq, started_at: startedAt, monitor_id: id }) => {
      const config = Math.abs(takenAt - startedAt) > LATE_AFTER_MS ? this.#latestConfig(id) : undefined;
      return config && isLate(config, startedAt, takenAt) ? [seq] : [];
    });
  }

  #waitFrom(monotonicNow: number, urgent: boolean): void {
    this.waitingSince ??= monotonicNow;
    if (urgent) this.isUrgent = true;
  }

  #stopWaiting(): void {
    this.waitingSince = null;
    this.isUrgent = false;
  }
}

/** A failure, a first result or a recovery is written at once; one more of the same may wait its second. */
function changesSomething(known: RegionState | undefined, result: CheckResult): boolean {
  if (result.outcome === 'missed') return false;
  if (!known || known.verdict === 'unknown' || result.reason !== 'schedule') return true;
  return result.outcome === 'failure' ? known.verdict !== 'down' : known.verdict === 'down' || known.fails > 0;
}

/** The batch as a probe with the right time would have sent it. */
function shifted(batch: ResultBatch, shiftMs: number): ResultBatch {
  const moved = (at: number): number => Math.min(LATEST_INSTANT_MS, Math.max(0, at + shiftMs));
  return { ...batch, results: batch.results.map((result) => ({ ...result, scheduled_at: moved(result.scheduled_at), started_at: moved(result.started_at) })) };
}
