import type { LazyTlsFacts } from '../checks/check.ts';
import type { TlsFacts } from '../../shared/contracts/result.ts';

/** Facts are sent again after this time, in case the result that carried them was lost or refused. */
const REPEAT_AFTER_MS = 86_400_000;
/** Servers behind one name may show different certificates in turn: so many changes of a monitor an hour. */
const MAX_CHANGES_PER_HOUR = 6;
const HOUR_MS = 3_600_000;

interface Sent {
  hash: number;
  atMs: number;
  /** Since `hourMs`, the beginning of an hour that counts. */
  changes: number;
  hourMs: number;
}

/** Remembers what results have said of each monitor's certificate, so that only what has changed is sent. */
export class SentFacts {
  readonly #sent = new Map<string, Sent>();

  /** What a result of this monitor should carry now; `nowMs` is Unix ms. */
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

  /** The next result of this monitor carries its facts. */
  forget(monitorId: string): void {
    this.#sent.delete(monitorId);
  }
}
