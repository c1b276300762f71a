import { derivedId, shardOf } from '../../shared/ids.ts';
import { decodeBatch, encodeBatch, readLaneHeader } from '../../shared/contracts/result-pack.ts';
import { UuidCache } from '../../shared/contracts/uuid-cache.ts';
import { LATEST_INSTANT_MS, laneName, type CheckResult, type ResultBatch } from '../../shared/contracts/result.ts';
import { ENTRY_VERSION, type ClockDecision, type DeadLetter, type DeadLetterReason, type EntryBatch, type JournalEntry } from './journal-entry.ts';
import { foreignTo } from '../incidents/region-rules.ts';
import { isLate, LATE_AFTER_MS } from '../incidents/monitor-rules.ts';
import { withRunTimes, type ReceivedPing } from './ping-rules.ts';
import { holdBatch } from './held-batch.ts';
import type { MonitorConfig } from './ports.ts';
import type { RegionState } from '../incidents/monitor-state.ts';
import type { FailedItem, MonitorCell, ShardState } from './shard-state.ts';

/** Most results and bytes of one journal entry; the rest waits for the next. */
const ENTRY_RESULTS = 1000;
const ENTRY_BYTES = 1_048_576;
/** Most that may wait for the journal; what comes on top is not answered, so that its probe sends it again. */
const PENDING_RESULTS = 4000;
const PENDING_BYTES = 4_194_304;
/** Most pings of one journal entry, and most that may wait; the rest stays in its collection. */
const PENDING_PINGS = 2000;
/** A result from further ahead is refused. Below it a clock is an hour wrong, ours perhaps: that costs no result. */
const FUTURE_MS = 2 * 3_600_000;
/** Characters of a result that its dead letter keeps. */
const LETTER_CHARS = 4096;

/** A batch message of the bus. `answer` sends the watermark. */
export interface TakenMessage {
  region: string;
  probe_id: string;
  bytes: Uint8Array;
  answer(watermark: number): void;
}

interface Waiting {
  lane: string;
  last: number;
  answer(watermark: number): void;
}

interface AcceptedBatch {
  message: TakenMessage;
  batch: ResultBatch;
  waiting: Waiting;
  letter: DeadLetter | null;
  regionOwner: string | null;
}

interface PendingBatch extends EntryBatch {
  count: number;
  /** When its first and last results were started, Unix ms. */
  earliest: number;
  latest: number;
  waiting: Waiting[];
  letters: DeadLetter[];
}

/** Unix ms and monotonic ms of one moment. */
export interface Instant {
  wall: number;
  monotonic: number;
}

export interface TakeLimits {
  /** How long an organization keeps its results, ms: what was started longer ago is refused as `too_old`. */
  rawRetentionMs(organizationId: string): number;
  /** The longest of these, ms. */
  longestRawMs: number;
  /** Organization of a private region, null of a shared one; undefined: not known yet, and its batches wait. */
  regionOwner(region: string): string | null | undefined;
  /** What to add to a probe's times, ms: 0 while its clock is right, or is not known to be wrong. */
  clockShiftMs(probeId: string): number;
}

/**
 * Takes what is meant for one shard and forms its journal entries. Knows nothing of databases: the ingest inserts the
 * entries and says how that went.
 */
export class ShardOwner {
  readonly state: ShardState;
  readonly #writer: string;
  readonly #limits: TakeLimits;
  readonly #ids = new UuidCache();
  #batches: PendingBatch[] = [];
  #pendingResults = 0;
  #pendingBytes = 0;
  #configs = new Map<string, MonitorConfig>();
  #pings = new Map<string, ReceivedPing>();
  #clock: ClockDecision[] = [];
  /** Positions that count what is pending, so that a lane is taken strictly in order. */
  #taken = new Map<string, number>();
  #inHand: { entry: JournalEntry; batches: PendingBatch[] } | null = null;
  /** Something waits that must not wait for the next second. */
  urgent = false;
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
      letter = unreadable(this.state.shard, message, now.wall);
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
    if (batch.last <= taken) this.#joinWaiting(waiting);
    else if (this.#pendingResults < PENDING_RESULTS && this.#pendingBytes < PENDING_BYTES) {
      this.#accept({ message: readable, batch, waiting, letter, regionOwner }, now);
    }
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
  nextEntry(nowWall: number): { entry: JournalEntry; letters: DeadLetter[] } | null {
    if (!this.#inHand) this.#form(nowWall);
    if (!this.#inHand) return null;
    return { entry: this.#inHand.entry, letters: this.#inHand.batches.flatMap((batch) => batch.letters) };
  }

  /** To be called when the entry is in the journal and the snapshot does not contradict it: answers the probes. */
  settled(): JournalEntry {
    const { entry, batches } = this.#inHand as { entry: JournalEntry; batches: PendingBatch[] };
    this.#inHand = null;
    for (const [lane, position] of entry.lanes) if (this.#taken.get(lane) === position) this.#taken.delete(lane);
    if (this.#batches.length === 0 && this.#configs.size === 0 && this.#pings.size === 0 && this.#clock.length === 0) this.#stopWaiting();
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
    let urgent = false;
    for (const result of batch.results) {
      pending.earliest = Math.min(pending.earliest, result.started_at);
      pending.latest = Math.max(pending.latest, result.started_at);
      if (result.seq <= known) continue;
      const cell = this.state.monitors.get(result.monitor_id);
      const refusal = this.#refusal(result, cell, { region: message.region, owner: regionOwner }, now.wall);
      if (refusal) {
        pending.refused.push(result.seq);
        if (refusal !== 'deleted') pending.letters.push(letterOf(this.state.shard, message, batch.epoch, result, refusal, now.wall));
      } else if (changesSomething(cell?.state.regions[message.region], result)) urgent = true;
    }
    this.#batches.push(pending);
    this.#pendingResults += pending.count;
    this.#pendingBytes += message.bytes.length;
    this.#taken.set(waiting.lane, batch.last);
    this.#waitFrom(now.monotonic, urgent);
  }

  #refusal(
    result: CheckResult, cell: MonitorCell | undefined, from: { region: string; owner: string | null }, nowWall: number,
  ): DeadLetterReason | 'deleted' | null {
    const config = this.#waitingConfig(result.monitor_id) ?? cell?.state.config;
    if (!config) return shardOf(result.monitor_id) === this.state.shard ? 'unknown_monitor' : 'foreign_shard';
    if (config.status === 'deleted') return 'deleted';
    if (result.started_at > nowWall + FUTURE_MS) return 'future';
    const keptSince = nowWall - this.#limits.rawRetentionMs(config.organization_id);
    return this.#foreign(config, from, keptSince) ?? (result.started_at < keptSince ? 'too_old' : null);
  }

  /** A change on its way into the journal has not made foreign what the journal still asks for. */
  #foreign(config: MonitorConfig, from: { region: string; owner: string | null }, keptSince: number): DeadLetterReason | null {
    try {
      const reason = foreignTo(config, from.region, from.owner, keptSince);
      const journaled = reason === null ? undefined : this.state.monitors.get(config.monitor_id)?.state.config;
      return journaled && foreignTo(journaled, from.region, from.owner, keptSince) === null ? null : reason;
    } catch {
      // What is wrong with this monitor is for its own rules to set aside: no other may wait behind it.
      return null;
    }
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

  #joinWaiting(waiting: Waiting): void {
    const batches = [...(this.#inHand?.batches ?? []), ...this.#batches];
    const holder = batches.find((batch) => laneName(batch.probe_id, batch.batch.epoch) === waiting.lane && batch.batch.last >= waiting.last);
    // A probe that repeats itself while the database is slow is answered once: the last answer says all.
    if (holder) holder.waiting = [...holder.waiting.filter((other) => other.lane !== waiting.lane), waiting];
  }

  #form(nowWall: number): void {
    const batches: PendingBatch[] = [];
    let results = 0;
    let bytes = 0;
    while (this.#batches[0]) {
      const next = this.#batches[0];
      if (batches.length > 0 && (results + next.count > ENTRY_RESULTS || bytes + next.bytes.length > ENTRY_BYTES)) break;
      this.#batches.shift();
      batches.push(next);
      results += next.count;
      bytes += next.bytes.length;
    }
    if (batches.length === 0 && this.#configs.size === 0 && this.#pings.size === 0 && this.#clock.length === 0) return this.#stopWaiting();
    this.#pendingResults -= results;
    this.#pendingBytes -= bytes;
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
    this.urgent = false;
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
    if (urgent) this.urgent = true;
  }

  #stopWaiting(): void {
    this.waitingSince = null;
    this.urgent = false;
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

/** What could not be read is kept to be looked at. */
function unreadable(shard: number, message: TakenMessage, nowWall: number): DeadLetter {
  const content = Buffer.from(message.bytes.subarray(0, 1024)).toString('base64');
  return {
    id: derivedId('unreadable', message.probe_id, content), reason: 'unreadable', shard, region: message.region,
    probe_id: message.probe_id, epoch: null, seq: null, monitor_id: null, content, at: nowWall,
  };
}

/** The dead letter of an item on which a rule threw. */
export function failedLetter(entry: Pick<JournalEntry, 'shard' | 'n' | 'taken_at'>, { monitor_id, item, fresh }: FailedItem): DeadLetter {
  if (fresh) return letterOf(entry.shard, fresh, fresh.epoch, fresh.result, 'rule_failed', entry.taken_at);
  const content = JSON.stringify(item).slice(0, LETTER_CHARS);
  return {
    id: derivedId('item', entry.shard, entry.n, monitor_id, content), reason: 'rule_failed', shard: entry.shard, region: '', probe_id: '',
    epoch: null, seq: null, monitor_id, content, at: entry.taken_at,
  };
}

/** The dead letter of one result; the same result always has the same id. */
export function letterOf(
  shard: number, source: { region: string; probe_id: string }, epoch: string, result: CheckResult, reason: DeadLetterReason, at: number,
): DeadLetter {
  return {
    id: derivedId('result', source.probe_id, epoch, shard, result.seq), reason, shard, region: source.region, probe_id: source.probe_id, epoch,
    seq: result.seq, monitor_id: result.monitor_id, content: JSON.stringify(result).slice(0, LETTER_CHARS), at,
  };
}
