import type { LazyTlsFacts } from '../checks/check.ts';
import type { TlsFacts } from '../../shared/contracts/result.ts';

/** Facts are sent again after this time, in case the result that carried them was lost or rejected. */
const REPEAT_AFTER_MS = 86_400_000;
/** Servers behind one name may alternate certificates, so changes are limited per monitor and hour. */
const MAX_CHANGES_PER_HOUR = 6;
const HOUR_MS = 3_600_000;

interface Sent {
  hash: number;
  atMs: number;
  /** Changes since `hourMs`, the start of the current hour. */
  changes: number;
  hourMs: number;
}

/** Tracks the TLS facts last sent per monitor, so that only changes are sent. */
export class SentFacts {
  readonly #sent = new Map<string, Sent>();

  /** The TLS facts that a monitor's result should carry now; `nowMs` is Unix ms. */
  take(monitorId: string, peer: LazyTlsFacts | null, nowMs: number): TlsFacts | null {
    if (peer === null) return null;
    const { hash } = peer;
    const sent = this.#sent.get(monitorId);
    if (sent?.hash === hash && Math.abs(nowMs - sent.atMs) < REPEAT_AFTER_MS) return null;
    const isSameHour = sent !== undefined && Math.abs(nowMs - sent.hourMs) < HOUR_MS;
    const changes = isSameHour ? sent.changes + 1 : 1;
    if (changes > MAX_CHANGES_PER_HOUR) return null;
    this.#sent.set(monitorId, { hash, atMs: nowMs, changes, hourMs: isSameHour ? sent.hourMs : nowMs });
    return peer.facts();
  }

  /** The monitor's next result carries its TLS facts. */
  forget(monitorId: string): void {
    this.#sent.delete(monitorId);
  }
}
