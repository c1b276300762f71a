import { decodeBatch } from '../../shared/contracts/result-pack.ts';
import { laneName, type ResultBatch } from '../../shared/contracts/result.ts';
import type { Alert, IncidentOpening, IncidentResolution, VoteRecord } from '../../controller/verdicts/effect.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import type { DeadLetter } from '../../controller/results/dead-letters/dead-letter.ts';
import type { JournalEntry } from '../../controller/results/journal/journal-store.ts';
import type {
  CertificateSighting, FeatureRecord, RegionChange, StatusChange, TargetSighting,
} from '../../controller/verdicts/monitor-state.ts';
import type { Lease } from '../../controller/results/shards/lease-rules.ts';
import type { ReceivedPing } from '../../controller/results/intake/ping-rules.ts';
import type { Rollup } from '../../controller/results/hours/rollup.ts';

/** A document that only one with a higher position may replace. */
export interface Positioned {
  position: number;
  content: string;
}

export interface StoredIncident {
  opening: IncidentOpening;
  resolution: IncidentResolution | null;
}

export type StoredPing = ReceivedPing & { shard: number };

export interface MonitorRow {
  config: MonitorConfig;
  isMarked: boolean;
}

/** The assignment of one monitor to one probe. */
export interface Placed {
  config: MonitorConfig;
}

/** The content of the database, and data known only to an observer: the true journal of each shard. */
export class SimulatedDatabase {
  readonly journal = new Map<number, Map<number, string>>();
  readonly snapshots = new Map<number, Positioned & { taken_at?: number | undefined }>();
  readonly states = new Map<string, Positioned & { shard: number; outbox: string }>();
  readonly checkpoints = new Map<number, Positioned>();
  readonly blocks = new Map<string, { position: number; bytes: Uint8Array }>();
  readonly hours = new Map<string, { position: number; rollup: Rollup }>();
  readonly days = new Map<string, { position: number; rollup: Rollup }>();
  /** Pings that are not removed yet, by id. */
  readonly pings = new Map<string, StoredPing>();
  readonly letters = new Map<string, DeadLetter>();
  readonly statusChanges = new Map<string, StatusChange>();
  readonly incidents = new Map<string, StoredIncident>();
  readonly votes = new Map<string, VoteRecord>();
  readonly regionChanges = new Map<string, RegionChange>();
  readonly alerts = new Map<string, Alert>();
  /** By monitor. */
  readonly certificates = new Map<string, CertificateSighting>();
  readonly features = new Map<string, FeatureRecord>();
  /** By monitor and position. */
  readonly sightings = new Map<string, TargetSighting>();
  readonly leases = new Map<number, Lease>();
  readonly controllers = new Map<string, Omit<Lease, 'shard' | 'holder'>>();
  readonly monitors = new Map<string, MonitorRow>();
  /** By region, then monitor. */
  readonly assignments = new Map<string, Map<string, Placed>>();
  /** Every entry that was next in its shard when it was inserted, in order. */
  readonly truth = new Map<number, JournalEntry[]>();
  /** Lane positions after the true journal, by shard and lane. */
  readonly truePositions = new Map<string, number>();
  readonly #batches = new Map<string, ResultBatch>();
  readonly complaints: string[] = [];
  /** Collections that accept a document with a lower position, to test the consequences. */
  readonly careless = new Set<'states' | 'hours' | 'snapshots'>();

  complain(text: string): void {
    if (this.complaints.length < 20) this.complaints.push(text);
  }

  journalOf(shard: number): Map<number, string> {
    let entries = this.journal.get(shard);
    if (!entries) this.journal.set(shard, (entries = new Map()));
    return entries;
  }

  /** False if the number is taken. */
  insertEntry(content: string): boolean {
    const entry = this.parse(content);
    const entries = this.journalOf(entry.shard);
    if (entries.has(entry.n)) return false;
    entries.set(entry.n, content);
    const truth = this.truth.get(entry.shard) ?? [];
    this.truth.set(entry.shard, truth);
    if (entry.n === truth.length + 1) {
      truth.push(entry);
      this.#movePositions(entry);
    } else if (entry.n > truth.length + 1) {
      this.complain(`journal ${entry.shard} jumped to ${entry.n} after ${truth.length}`);
    }
    return true;
  }

  /** An entry parsed from its text. Decoded batches are cached, because nobody modifies them. */
  parse(text: string): JournalEntry {
    return parseEntry(text, this.#batches);
  }

  /** Frees the observer's data about entries so far. Later ones are then not compared with them. */
  clearHistory(): void {
    this.truth.clear();
    this.#batches.clear();
  }

  truePosition(shard: number, lane: string): number {
    return this.truePositions.get(`${shard} ${lane}`) ?? 0;
  }

  #movePositions(entry: JournalEntry): void {
    for (const { probe_id: probeId, batch } of entry.batches) {
      const key = `${entry.shard} ${laneName(probeId, batch.epoch)}`;
      const position = this.truePositions.get(key) ?? 0;
      if (batch.first > position + 1) {
        this.complain(
          `journal ${entry.shard}:${entry.n} has a gap in lane ${key}: ${batch.first} after ${position}`,
        );
      }
      this.truePositions.set(key, Math.max(position, batch.last));
    }
  }
}

/** The text of an entry, as a database would store it. */
export function entryText(entry: JournalEntry): string {
  const batches = entry.batches.map(({ probe_id, region, bytes, refused, late, muted }) => ({
    probe_id, region, refused, late, muted, bytes: Buffer.from(bytes).toString('base64'),
  }));
  return JSON.stringify({ ...entry, batches });
}

function parseEntry(text: string, decoded: Map<string, ResultBatch>): JournalEntry {
  const entry = JSON.parse(text) as JournalEntry & { batches: { bytes: unknown }[] };
  for (const batch of entry.batches) {
    const key = batch.bytes as unknown as string;
    batch.bytes = Buffer.from(key, 'base64');
    batch.batch = decoded.get(key) ?? decodeBatch(batch.bytes);
    decoded.set(key, batch.batch);
  }
  return entry;
}
