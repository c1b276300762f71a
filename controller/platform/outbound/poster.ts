import { Agent, type Dispatcher } from 'undici';
import { parseHttpUrl } from '../../../shared/net-guard.ts';
import type { Clock } from '../../../shared/time.ts';
import type { AddressVetting } from './address-vetting.ts';
import { connectionFailure, RefusedAddress } from './connection-failure.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { Poster, PostOutcome, PostRequest } from './poster-port.ts';

/** Concurrent requests; beyond that the outcome is `busy`. */
const MAX_REQUESTS = 1024;
const MAX_REQUESTS_PER_ORIGIN = 64;
/**
 * The response body is ignored: a short one is drained so the connection can be reused, a long or slow one is
 * cut off. The status alone decides whether the alert was accepted: a retry because of a body would alert
 * people twice.
 */
const BODY_LIMIT_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 1000;
/** Shorter than common servers' idle timeout, so that no connection is reused just as it closes. */
const KEEP_ALIVE_MS = 1000;
const STOPPED = 'canceled because Farwatch is stopping';

/** Sends alerts and other requests whose response matters only by its status. */
export class HttpPoster implements Poster {
  readonly #clock: Clock;
  readonly #agent: Agent;
  /** Requests in progress by origin, until their bodies are drained. */
  readonly #inProgress = new Map<string, number>();
  /** Callers of requests in progress by host name. */
  readonly #callers = new Map<string, string[]>();
  readonly #running = new Set<AbortController>();
  #total = 0;

  constructor(options: { clock: Clock; vetting: AddressVetting }) {
    this.#clock = options.clock;
    this.#agent = new Agent({
      connect: guardedConnector(options.vetting, (host) => this.#callers.get(host)?.at(-1) ?? ''),
      connections: MAX_REQUESTS_PER_ORIGIN,
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
    const { origin, hostname } = target.url;
    const ofOrigin = this.#inProgress.get(origin) ?? 0;
    if (this.#total >= MAX_REQUESTS || ofOrigin >= MAX_REQUESTS_PER_ORIGIN) return { kind: 'busy' };
    this.#count(origin, 1);
    this.#callers.set(hostname, [...(this.#callers.get(hostname) ?? []), request.caller]);
    const { outcome, finished } = await this.#send(request, target.url);
    void finished.finally(() => {
      this.#count(origin, -1);
      this.#forget(hostname, request.caller);
    });
    return outcome;
  }

  /** Aborts requests in progress and closes all connections. */
  async close(): Promise<void> {
    for (const request of this.#running) request.abort(STOPPED);
    await this.#agent.destroy();
  }

  /** `finished` resolves once the body is drained or cut off, too. */
  async #send(request: PostRequest, url: URL): Promise<{ outcome: PostOutcome; finished: Promise<void> }> {
    const { method, headers, body, timeoutMs } = request;
    const startedAt = this.#clock.monotonic();
    const duration = () => this.#clock.monotonic() - startedAt;
    const end = new AbortController();
    const onTimeout = () => end.abort(`no response within ${timeoutMs / 1000} seconds`);
    const timer = this.#clock.setTimer(timeoutMs, onTimeout);
    const stop = () => end.abort(STOPPED);
    if (request.signal?.aborted) stop();
    request.signal?.addEventListener('abort', stop, { once: true });
    this.#running.add(end);
    try {
      const path = `${url.pathname}${url.search}`;
      const sent = { origin: url.origin, path, method, headers, body, signal: end.signal };
      const response = await this.#agent.request(sent);
      const retryAfterMs = retryAfter(response.headers['retry-after'], this.#clock.now());
      const durationMs = duration();
      const outcome: PostOutcome = { kind: 'responded', status: response.statusCode, durationMs, retryAfterMs };
      const finished = this.#discard(response.body, Math.min(BODY_TIMEOUT_MS, timeoutMs - durationMs));
      return { outcome, finished };
    } catch (error) {
      return { outcome: failureOutcome(error, end.signal, duration()), finished: Promise.resolve() };
    } finally {
      timer.cancel();
      request.signal?.removeEventListener('abort', stop);
      this.#running.delete(end);
    }
  }

  async #discard(body: Dispatcher.ResponseData['body'], withinMs: number): Promise<void> {
    const timer = this.#clock.setTimer(Math.max(0, withinMs), () => body.destroy());
    await body.dump({ limit: BODY_LIMIT_BYTES }).catch(() => undefined);
    timer.cancel();
  }

  #forget(hostname: string, caller: string): void {
    const callers = this.#callers.get(hostname) ?? [];
    callers.splice(callers.indexOf(caller), 1);
    if (callers.length === 0) this.#callers.delete(hostname);
  }

  #count(origin: string, by: 1 | -1): void {
    this.#total += by;
    const now = (this.#inProgress.get(origin) ?? 0) + by;
    if (now > 0) this.#inProgress.set(origin, now);
    else this.#inProgress.delete(origin);
  }
}

function failureOutcome(error: unknown, signal: AbortSignal, durationMs: number): PostOutcome {
  if (error instanceof RefusedAddress) return { kind: 'refused', reason: error.message };
  const reason = signal.aborted ? String(signal.reason) : connectionFailure(error);
  return { kind: 'failed', reason, durationMs };
}

/** Delay in ms from seconds or a date (RFC 9110); null for anything else. */
function retryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
