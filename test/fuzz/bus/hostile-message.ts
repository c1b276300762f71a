import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import {
  DROP_REASONS, ERROR_TYPES, MAX_SEQ, LATEST_INSTANT_MS, MISSED_REASONS, OUTCOMES, REASONS,
  type CheckResult, type ResultBatch,
} from '../../../shared/contracts/result.ts';
import { newId } from '../../../shared/ids.ts';
import { evidenceMessage } from '../../helpers/evidence.ts';
import type { Random } from '../../simulation/random.ts';
import { shardMap } from '../../helpers/shard-map.ts';

/** What a hostile probe publishes: to a shard, or as a beat, a sync request or evidence. */
export type HostileMessage =
  | { to: 'results'; shard: number; bytes: Uint8Array }
  | { to: 'beat' | 'sync' | 'evidence'; bytes: Uint8Array };

export interface KnownMonitors {
  /** Monitors assigned to the hostile probe. */
  own: string[];
  /** Monitors of others. */
  foreign: string[];
}

const ODD_NUMBERS = [
  0, 1, 2, 999, 1000, 1001, 2 ** 31, 2 ** 32, MAX_SEQ - 1, MAX_SEQ, MAX_SEQ + 1, 2 ** 53 - 2, 2 ** 53 - 1,
];
const ODD_TEXTS = ['', '\u0000', '\ud800', '\u202e', '</script>', '$where', '__proto__', '=1+1', 'x'.repeat(1001)];

/** Generates messages from a seed: valid ones, edge cases and damaged ones. */
export class HostileMessages {
  readonly #random: Random;
  readonly #monitors: KnownMonitors;
  /** The next seq of continued lanes, by shard and epoch. */
  readonly #lanes = new Map<string, number>();
  #epochs = 0;

  constructor(random: Random, monitors: KnownMonitors) {
    this.#random = random;
    this.#monitors = monitors;
  }

  next(now: number): HostileMessage {
    const random = this.#random;
    if (random.chance(0.05)) return { to: random.pick(['beat', 'sync']), bytes: this.#damaged(this.#oddJson()) };
    const monitor = this.#monitor();
    if (random.chance(0.05)) return { to: 'evidence', bytes: this.#evidence(monitor, now) };
    const shard = random.chance(0.9) ? shardMap.of(monitor) : random.int(0, shardMap.count - 1);
    return { to: 'results', shard, bytes: this.#results(shard, monitor, now) };
  }

  #results(shard: number, monitor: string, now: number): Uint8Array {
    const random = this.#random;
    if (random.chance(0.05)) return random.chance(0.5) ? this.#noise() : this.#oddJson();
    const batch = this.#batch(shard, monitor, now);
    if (random.chance(0.2)) return this.#asJson(batch);
    const bytes = encodeBatch(batch);
    return random.chance(0.3) ? this.#damaged(bytes) : bytes;
  }

  #batch(shard: number, monitor: string, now: number): ResultBatch {
    const random = this.#random;
    const epoch = random.chance(0.5) ? `epoch-${random.int(0, 4)}` : `new-${(this.#epochs += 1)}`;
    const lane = `${shard}/${epoch}`;
    const first = random.chance(0.9) ? (this.#lanes.get(lane) ?? 1) : this.#odd();
    const results: CheckResult[] = [];
    const dropped: ResultBatch['dropped'] = [];
    let seq = first;
    for (let left = 1 + random.int(0, 20); left > 0; left -= 1) {
      if (random.chance(0.1)) {
        const last = random.chance(0.8) ? seq + random.int(0, 1000) : seq + this.#odd();
        dropped.push({ first: seq, last, reason: random.pick(DROP_REASONS) });
        seq = last + 1;
      } else {
        results.push(this.#result(seq, random.chance(0.9) ? monitor : this.#monitor(), now));
        seq += 1;
      }
    }
    this.#lanes.set(lane, seq);
    return { epoch, engine: 'hostile', first, last: seq - 1, results, dropped };
  }

  #result(seq: number, monitor_id: string, now: number): CheckResult {
    const random = this.#random;
    const outcome = random.pick(OUTCOMES);
    const at = random.chance(0.8) ? now - random.int(0, 7_200_000) : random.pick([
      0, now + 61_000, now + 7_300_000, now - 86_400_000 * 100, LATEST_INSTANT_MS, LATEST_INSTANT_MS + 1,
    ]);
    return {
      seq, monitor_id, assignment_rev: 1 + random.int(0, 5), attempt: 1 + random.int(0, random.chance(0.9) ? 6 : 200),
      reason: random.pick(REASONS), scheduled_at: at, started_at: at + random.int(0, 1000),
      response_time_ms: random.chance(0.8) ? random.int(0, 5000) : random.pick([null, 0, 3_600_000, 3_600_001]),
      outcome, degraded: random.chance(0.2), status_code: random.pick([null, 200, 503, 999, 1000]),
      error: outcome === 'failure'
        ? { type: random.pick(ERROR_TYPES), message: random.chance(0.5) ? 'no' : random.pick(ODD_TEXTS) }
        : null,
      missed: outcome === 'missed'
        ? { reason: random.pick(MISSED_REASONS), count: random.chance(0.9) ? 1 + random.int(0, 50) : 1 + this.#odd() }
        : null,
      timings: random.chance(0.5) ? { connect: random.int(0, 100), first_byte: random.int(0, 4_000_000) } : null,
      remote_address: random.pick([null, '203.0.113.9', 'x'.repeat(65)]), tls: null,
      detail: random.chance(0.01) ? this.#detail() : null,
    };
  }

  #evidence(monitor: string, now: number): Uint8Array {
    const random = this.#random;
    const at = random.chance(0.7) ? now - random.int(0, 100) : this.#odd();
    const text = random.pick(ODD_TEXTS);
    const message = {
      ...evidenceMessage(monitor, at), body_excerpt: text, headers: [{ name: text, value: text }],
      ...(random.chance(0.3) ? { addresses: [text], last_good: null, status_line: this.#odd() } : {}),
    };
    const bytes = Buffer.from(JSON.stringify(message));
    return random.chance(0.3) ? this.#damaged(bytes) : bytes;
  }

  #detail(): Record<string, unknown> {
    let detail: Record<string, unknown> = { [this.#random.pick(ODD_TEXTS)]: 'x'.repeat(this.#random.int(0, 6000)) };
    for (let depth = this.#random.int(0, 12); depth > 0; depth -= 1) detail = { a: detail };
    return detail;
  }

  #asJson(batch: ResultBatch): Uint8Array {
    const text = JSON.stringify({ v: 1, ...batch });
    const depth = 100 * (1 + this.#random.int(0, 400));
    return Buffer.from(this.#random.chance(0.01)
      ? text.replace('"detail":null', `"detail":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
      : text);
  }

  #oddJson(): Uint8Array {
    const random = this.#random;
    const value = () => random.pick<unknown>([null, [], {}, this.#odd(), -1, 1e308, random.pick(ODD_TEXTS), [[]]]);
    return Buffer.from(JSON.stringify({
      v: random.pick([1, 2, '1']), epoch: value(), engine: value(), revision: this.#odd(), after: value(),
      sent_at: value(), started_at: value(), version: value(), capabilities: value(), monitors: this.#odd(),
      in_flight: this.#odd(), spool_depth: value(), load: value(), lateness_ms: value(), missed_rate: value(), lost_rate: value(),
      results: value(), dropped: value(),
    }));
  }

  #noise(): Uint8Array {
    return Uint8Array.from({ length: this.#random.int(0, 400) }, () => this.#random.int(0, 255));
  }

  #damaged(sound: Uint8Array): Uint8Array {
    const random = this.#random;
    const bytes = Buffer.from(sound);
    if (bytes.length === 0) return bytes;
    for (let left = 1 + random.int(0, 4); left > 0; left -= 1) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    return random.chance(0.2) ? bytes.subarray(0, random.int(0, bytes.length - 1)) : bytes;
  }

  #monitor(): string {
    const random = this.#random;
    if (random.chance(0.6)) return random.pick(this.#monitors.own);
    return random.chance(0.8) ? random.pick(this.#monitors.foreign) : newId(1_760_000_000_000 + random.int(0, 1e9));
  }

  #odd(): number {
    return this.#random.pick(ODD_NUMBERS);
  }
}
