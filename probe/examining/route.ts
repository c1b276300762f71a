import { MAX_HOPS, type Examination } from '../../shared/contracts/examination.ts';

type Hop = Examination['path']['hops'][number];

/**
 * Who responded to a packet: a router at which its TTL expired, a router or firewall that refuses to forward
 * it, or the target.
 */
export type Responder = 'router' | 'refuser' | 'target';

/** Silent hops after the last response that are shown and retried. */
const SILENT_HOPS = 5;

/** The hops to a target, from responses in any order. */
export class Route {
  readonly #hops = new Map<number, Hop>();
  #targetTtl = Infinity;
  #refusedTtl = Infinity;

  /** Whether the target itself responded. */
  get isComplete(): boolean {
    return this.#targetTtl < Infinity;
  }

  /**
   * The TTL at which the path ends; Infinity while unknown. Packets with a higher TTL get the same response,
   * perhaps sooner.
   */
  get endTtl(): number {
    return this.isComplete ? this.#targetTtl : this.#refusedTtl;
  }

  /** The slowest response so far; null without any. */
  get slowestMs(): number | null {
    const times = [...this.#hops.values()].map(({ rtt_ms: rttMs }) => rttMs ?? 0);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** The TTLs to retry. */
  get silentTtls(): number[] {
    const last = Math.min(this.#lastTtl, this.endTtl);
    return Array.from({ length: last }, (_, at) => at + 1).filter((ttl) => !this.#hops.has(ttl));
  }

  /** Whether every hop up to the end has responded. */
  get isKnown(): boolean {
    return this.endTtl < Infinity && this.silentTtls.length === 0;
  }

  record(ttl: number, responder: Responder, address: string, rttMs: number | null): void {
    if (ttl < 1 || ttl > MAX_HOPS) return;
    if (responder === 'target') this.#targetTtl = Math.min(this.#targetTtl, ttl);
    if (responder === 'refuser') this.#refusedTtl = Math.min(this.#refusedTtl, ttl);
    const known = this.#hops.get(ttl);
    if (known && (responder !== 'target' || known.address === address)) return;
    this.#hops.set(ttl, { ttl, address, rtt_ms: rttMs === null ? null : Math.round(rttMs * 100) / 100 });
  }

  /** Records a router unless its address or that TTL is already recorded. */
  recordIfNew(ttl: number, router: string): void {
    const isKnown = [...this.#hops.values()].some(({ address }) => address === router);
    if (!isKnown && !this.#hops.has(ttl)) this.record(ttl, 'router', router, null);
  }

  /** Up to the end, or the last silent hop shown. Never ends with the same router twice. */
  hops(): Hop[] {
    const last = Math.min(this.#lastTtl, this.endTtl);
    const [before, end] = [this.#hops.get(last - 1), this.#hops.get(last)];
    const length = end !== undefined && before?.address === end.address ? last - 1 : last;
    return Array.from({ length }, (_, at) => (
      this.#hops.get(at + 1) ?? { ttl: at + 1, address: null, rtt_ms: null }
    ));
  }

  get #lastTtl(): number {
    return Math.min(MAX_HOPS, Math.max(0, ...this.#hops.keys()) + SILENT_HOPS);
  }
}
