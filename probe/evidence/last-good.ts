import type { CheckResult, TlsFacts } from '../../shared/contracts/result.ts';
import type { Finding } from '../checks/check.ts';
import { withFewNames, type Observation } from './response-evidence.ts';

/** Limits for all monitors, for their certificates, and for one certificate. */
const MAX_BYTES = 8_388_608;
const MAX_BYTES_OF_CERTIFICATES = 4_194_304;
const MAX_BYTES_EACH = 3072;
/** Allocation granularity. */
const STEP_BYTES = 256;
/** An observation younger than this is not replaced. */
const RENEW_AFTER_MS = 60_000;

interface StoredSuccess {
  checkedAt: number;
  remoteAddress: string | null;
  addresses: readonly string[];
  timings: Observation['timings'];
  /** The head followed by the body, one byte per character. */
  bytes: Buffer;
  /** Null without a head; and null without a body. */
  headBytes: number | null;
  bodyBytes: number | null;
  /** JSON of the certificate's facts: objects would take several times as much memory. */
  certificate: Buffer | null;
  hash: number;
}

/**
 * Remembers a recent success per monitor, usually the last or nearly so. The memory is divided among all
 * monitors, so that each has something.
 */
export class LastGood {
  readonly #monitors: () => number;
  readonly #successes = new Map<string, StoredSuccess>();
  #textBytes = 0;
  #certificateBytes = 0;

  /** `monitors` returns their current number. */
  constructor(monitors: () => number) {
    this.#monitors = monitors;
  }

  /** Memory used by heads, bodies and certificates. */
  get bytes(): number {
    return this.#textBytes + this.#certificateBytes;
  }

  /** Called for every success, so it usually does nothing. `isRecovery`: the previous check failed. */
  record(result: CheckResult, finding: Finding, isRecovery: boolean): void {
    const stored = this.#successes.get(result.monitor_id);
    if (stored && !isRecovery && Math.abs(result.started_at - stored.checkedAt) < RENEW_AFTER_MS) return;
    this.#update(stored ?? this.#add(result.monitor_id), result, finding);
  }

  /** Null if there is none. */
  of(monitorId: string): Observation | null {
    const stored = this.#successes.get(monitorId);
    if (!stored) return null;
    const { checkedAt, remoteAddress, addresses, timings, bytes, headBytes, bodyBytes, certificate } = stored;
    const bodyAt = headBytes ?? 0;
    return {
      checkedAt, remoteAddress, addresses, timings,
      head: headBytes === null ? null : bytes.toString('latin1', 0, bodyAt),
      body: bodyBytes === null ? null : bytes.toString('latin1', bodyAt, bodyAt + bodyBytes),
      certificate: certificate && (JSON.parse(certificate.toString()) as TlsFacts),
    };
  }

  forget(monitorId: string): void {
    const stored = this.#successes.get(monitorId);
    if (!stored) return;
    this.#textBytes -= stored.bytes.length;
    this.#certificateBytes -= stored.certificate?.length ?? 0;
    this.#successes.delete(monitorId);
  }

  #add(monitorId: string): StoredSuccess {
    const stored: StoredSuccess = {
      checkedAt: 0, remoteAddress: null, addresses: [], timings: null, bytes: Buffer.alloc(0),
      headBytes: null, bodyBytes: null, certificate: null, hash: 0,
    };
    this.#successes.set(monitorId, stored);
    return stored;
  }

  #update(stored: StoredSuccess, result: CheckResult, { observed, tls }: Finding): void {
    stored.checkedAt = result.started_at;
    stored.remoteAddress = result.remote_address;
    stored.timings = result.timings;
    stored.addresses = observed?.addresses ?? [];
    this.#updateText(stored, observed?.head ?? null, observed?.body ?? null);
    if ((tls?.hash ?? 0) !== stored.hash) this.#updateCertificate(stored, tls);
  }

  #updateCertificate(stored: StoredSuccess, tls: Finding['tls']): void {
    this.#certificateBytes -= stored.certificate?.length ?? 0;
    const facts = tls && Buffer.from(JSON.stringify(withFewNames(tls.facts())));
    const hasRoom = this.#certificateBytes + (facts?.length ?? 0) <= MAX_BYTES_OF_CERTIFICATES;
    stored.certificate = hasRoom ? facts : null;
    stored.hash = tls?.hash ?? 0;
    this.#certificateBytes += stored.certificate?.length ?? 0;
  }

  #updateText(stored: StoredSuccess, head: string | null, body: string | null): void {
    const room = MAX_BYTES - this.#certificateBytes;
    const share = Math.min(MAX_BYTES_EACH, Math.floor(room / Math.max(1, this.#monitors())));
    const headBytes = Math.min(head?.length ?? 0, share);
    const bodyBytes = Math.min(body?.length ?? 0, share - headBytes);
    const size = headBytes + bodyBytes;
    if (stored.bytes.length < size || stored.bytes.length > share) {
      const capacity = Math.min(share, Math.ceil(size / STEP_BYTES) * STEP_BYTES);
      this.#textBytes -= stored.bytes.length;
      stored.bytes = Buffer.allocUnsafeSlow(this.#textBytes + capacity <= room ? capacity : 0);
      this.#textBytes += stored.bytes.length;
    }
    const hasRoom = stored.bytes.length >= size;
    const write = (text: string | null, at: number, bytes: number): number | null =>
      (text === null || !hasRoom ? null : stored.bytes.write(text, at, bytes, 'latin1'));
    stored.headBytes = write(head, 0, headBytes);
    stored.bodyBytes = write(body, headBytes, bodyBytes);
  }
}
