import type { CheckResult, TlsFacts } from '../../shared/contracts/result.ts';
import type { Finding } from '../checks/check.ts';
import { withFewNames, type Sight } from './answer-seen.ts';

/** What all monitors together may take, their certificates, and the text of one of them, bytes. */
const MAX_BYTES = 8_388_608;
const MAX_BYTES_OF_CERTIFICATES = 4_194_304;
const MAX_BYTES_EACH = 3072;
/** Buffers grow in such steps, bytes. */
const STEP_BYTES = 256;
/** What is younger is not taken anew, ms. */
const RENEW_AFTER_MS = 60_000;

interface Kept {
  checkedAt: number;
  remoteAddress: string | null;
  addresses: readonly string[];
  timings: Sight['timings'];
  /** The head and then the body, one byte per character. */
  bytes: Buffer;
  /** Null without a head; and without a body. */
  headBytes: number | null;
  bodyBytes: number | null;
  /** JSON of the certificate's facts: objects would take several times as much. */
  certificate: Buffer | null;
  seal: number;
}

/**
 * Remembers a late success of each monitor, nearly the last one. Its share of the bytes is the smaller, the
 * more monitors there are, so that all of them have something.
 */
export class LastGood {
  readonly #monitors: () => number;
  readonly #kept = new Map<string, Kept>();
  #textBytes = 0;
  #certificateBytes = 0;

  /** `monitors`: how many there are now. */
  constructor(monitors: () => number) {
    this.#monitors = monitors;
  }

  /** Memory taken by heads, bodies and certificates. */
  get bytes(): number {
    return this.#textBytes + this.#certificateBytes;
  }

  /** Called with every success, so it mostly does nothing. `isTurn`: the check before failed. */
  see(result: CheckResult, finding: Finding, isTurn: boolean): void {
    const kept = this.#kept.get(result.monitor_id);
    if (kept && !isTurn && Math.abs(result.started_at - kept.checkedAt) < RENEW_AFTER_MS) return;
    this.#keep(kept ?? this.#added(result.monitor_id), result, finding);
  }

  /** Null if there is none. */
  of(monitorId: string): Sight | null {
    const kept = this.#kept.get(monitorId);
    if (!kept) return null;
    const { checkedAt, remoteAddress, addresses, timings, bytes, headBytes, bodyBytes, certificate } = kept;
    const bodyAt = headBytes ?? 0;
    return {
      checkedAt, remoteAddress, addresses, timings,
      head: headBytes === null ? null : bytes.toString('latin1', 0, bodyAt),
      body: bodyBytes === null ? null : bytes.toString('latin1', bodyAt, bodyAt + bodyBytes),
      certificate: certificate && (JSON.parse(certificate.toString()) as TlsFacts),
    };
  }

  forget(monitorId: string): void {
    const kept = this.#kept.get(monitorId);
    if (!kept) return;
    this.#textBytes -= kept.bytes.length;
    this.#certificateBytes -= kept.certificate?.length ?? 0;
    this.#kept.delete(monitorId);
  }

  #added(monitorId: string): Kept {
    const kept: Kept = {
      checkedAt: 0, remoteAddress: null, addresses: [], timings: null, bytes: Buffer.alloc(0),
      headBytes: null, bodyBytes: null, certificate: null, seal: 0,
    };
    this.#kept.set(monitorId, kept);
    return kept;
  }

  #keep(kept: Kept, result: CheckResult, { seen, tls }: Finding): void {
    kept.checkedAt = result.started_at;
    kept.remoteAddress = result.remote_address;
    kept.timings = result.timings;
    kept.addresses = seen?.addresses ?? [];
    this.#keepText(kept, seen?.head ?? null, seen?.body ?? null);
    if ((tls?.seal ?? 0) !== kept.seal) this.#keepCertificate(kept, tls);
  }

  #keepCertificate(kept: Kept, tls: Finding['tls']): void {
    this.#certificateBytes -= kept.certificate?.length ?? 0;
    const facts = tls && Buffer.from(JSON.stringify(withFewNames(tls.facts())));
    const hasRoom = this.#certificateBytes + (facts?.length ?? 0) <= MAX_BYTES_OF_CERTIFICATES;
    kept.certificate = hasRoom ? facts : null;
    kept.seal = tls?.seal ?? 0;
    this.#certificateBytes += kept.certificate?.length ?? 0;
  }

  #keepText(kept: Kept, head: string | null, body: string | null): void {
    const room = MAX_BYTES - this.#certificateBytes;
    const share = Math.min(MAX_BYTES_EACH, Math.floor(room / Math.max(1, this.#monitors())));
    const headBytes = Math.min(head?.length ?? 0, share);
    const bodyBytes = Math.min(body?.length ?? 0, share - headBytes);
    const size = headBytes + bodyBytes;
    if (kept.bytes.length < size || kept.bytes.length > share) {
      const capacity = Math.min(share, Math.ceil(size / STEP_BYTES) * STEP_BYTES);
      this.#textBytes -= kept.bytes.length;
      kept.bytes = Buffer.allocUnsafeSlow(this.#textBytes + capacity <= room ? capacity : 0);
      this.#textBytes += kept.bytes.length;
    }
    const hasRoom = kept.bytes.length >= size;
    const write = (text: string | null, at: number, bytes: number): number | null =>
      (text === null || !hasRoom ? null : kept.bytes.write(text, at, bytes, 'latin1'));
    kept.headBytes = write(head, 0, headBytes);
    kept.bodyBytes = write(body, headBytes, bodyBytes);
  }
}
