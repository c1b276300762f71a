import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isOtherProtocolPort, parseHttpUrl } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';
import type { AddressVetting } from './address-vetting.ts';
import { connectionFailure, RefusedAddress } from './connection-failure.ts';
import type { Poster, PostOutcome, PostRequest } from './poster-port.ts';

/** What is under way at once; beyond it the answer is `busy`. */
const REQUESTS_AT_ONCE = 1024;
const REQUESTS_PER_ORIGIN = 64;
/**
 * Nothing of an answer's body is used: a short one is read to keep the connection, a long or slow one ends it. The status
 * has said whether the alert was taken: to send again for the sake of a body would tell the same people twice.
 */
const BODY_LIMIT_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 1000;
/** Shorter than common servers keep idle connections, so that none is used just as it is closed. */
const KEEP_ALIVE_MS = 1000;
const STOPPED = 'stopped by us';

/** The only way out of the controller by HTTP: addresses are vetted when a name is resolved and again when connected. */
export class HttpPoster implements Poster {
  readonly #clock: Clock;
  readonly #agent: Agent;
  readonly #underWay = new Map<string, number>();
  readonly #open = new Set<AbortController>();
  #total = 0;

  constructor(options: { clock: Clock; vetting: AddressVetting }) {
    this.#clock = options.clock;
    this.#agent = new Agent({
      connect: guardedConnector(options.vetting),
      connections: REQUESTS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: BODY_LIMIT_BYTES,
    });
  }

  async post(request: PostRequest): Promise<PostOutcome> {
    const target = parseHttpUrl(request.url);
    if (!target.ok) return { kind: 'refused', reason: `the address ${target.reason}` };
    if (isOtherProtocolPort(Number(target.url.port))) return { kind: 'refused', reason: `port ${target.url.port} belongs to another protocol` };
    const { origin } = target.url;
    if (this.#total >= REQUESTS_AT_ONCE || (this.#underWay.get(origin) ?? 0) >= REQUESTS_PER_ORIGIN) return { kind: 'busy' };
    this.#count(origin, 1);
    const { outcome, finished } = await this.#send(request, target.url);
    void finished.finally(() => this.#count(origin, -1));
    return outcome;
  }

  /** Ends what is under way and closes all connections. */
  async close(): Promise<void> {
    for (const request of this.#open) request.abort(STOPPED);
    await this.#agent.destroy();
  }

  async #send(request: PostRequest, url: URL): Promise<{ outcome: PostOutcome; finished: Promise<void> }> {
    const startedAt = this.#clock.monotonic();
    const duration = () => this.#clock.monotonic() - startedAt;
    const end = new AbortController();
    const timer = this.#clock.setTimer(request.timeoutMs, () => end.abort(`no answer within ${request.timeoutMs / 1000} seconds`));
    const stop = () => end.abort(STOPPED);
    if (request.signal?.aborted) stop();
    request.signal?.addEventListener('abort', stop, { once: true });
    this.#open.add(end);
    try {
      const { method, headers, body } = request;
      const answer = await this.#agent.request({ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body, signal: end.signal });
      const retryAfterMs = retryAfter(answer.headers['retry-after'], this.#clock.now());
      const outcome: PostOutcome = { kind: 'answered', status: answer.statusCode, durationMs: duration(), retryAfterMs };
      return { outcome, finished: this.#discard(answer.body, Math.min(BODY_TIMEOUT_MS, request.timeoutMs - duration())) };
    } catch (error) {
      const finished = Promise.resolve();
      if (error instanceof RefusedAddress) return { outcome: { kind: 'refused', reason: error.message }, finished };
      const reason = end.signal.aborted ? String(end.signal.reason) : connectionFailure(error);
      return { outcome: { kind: 'failed', reason, durationMs: duration() }, finished };
    } finally {
      timer.cancel();
      request.signal?.removeEventListener('abort', stop);
      this.#open.delete(end);
    }
  }

  #discard(body: { dump(options: { limit: number; signal?: AbortSignal }): Promise<void>; destroy(): unknown }, withinMs: number): Promise<void> {
    const timer = this.#clock.setTimer(Math.max(0, withinMs), () => body.destroy());
    return body.dump({ limit: BODY_LIMIT_BYTES }).catch(() => undefined).finally(() => timer.cancel());
  }

  #count(origin: string, by: 1 | -1): void {
    this.#total += by;
    const now = (this.#underWay.get(origin) ?? 0) + by;
    if (now > 0) this.#underWay.set(origin, now);
    else this.#underWay.delete(origin);
  }
}

/** Seconds or a date (RFC 9110); null for anything else. */
function retryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function guardedConnector(vetting: AddressVetting): buildConnector.connector {
  const connect = buildConnector({ timeout: 10_000, autoSelectFamily: true, lookup: vettedLookup(vetting) } as buildConnector.BuildOptions);
  return (options, callback) => {
    // An address is connected to without a lookup.
    const refusal = isIP(options.hostname) ? vetting.addressRefusal(options.hostname) : null;
    if (refusal !== null) return callback(new RefusedAddress(refusal), null);
    connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error) return callback(error, null);
      const late = socket.remoteAddress === undefined ? 'the address is not known' : vetting.addressRefusal(socket.remoteAddress);
      if (late === null) return callback(null, socket);
      socket.destroy();
      callback(new RefusedAddress(late), null);
    });
  };
}

function vettedLookup(vetting: AddressVetting): LookupFunction {
  return (host, options, callback) => {
    void vetting.vetHost(host).then((vetted) => {
      if (vetted.kind !== 'allowed') return callback(vetted.kind === 'refused' ? new RefusedAddress(vetted.reason) : new Error(vetted.reason), '');
      const found = vetted.addresses.map((address) => ({ address, family: isIP(address) }));
      if (options.all) return callback(null, found);
      callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}
