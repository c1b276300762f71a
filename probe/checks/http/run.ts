import { isIP } from 'node:net';
import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import type { Timings } from '../../../shared/contracts/result.ts';
import { failure, missed, printable, type Finding } from '../check.ts';
import { dnsProblem, exchangeProblem, STALL_MS } from './problems.ts';
import { certificateProblem } from './certificate.ts';
import { exchange, type ExchangeResult } from './exchange.ts';
import { requestBytes } from './request-head.ts';
import { endpointOf, type HttpResources } from './resources.ts';

/** Addresses of one name that are tried before it counts as unreachable. */
/** Stands for a name server's answer that did not come in time. */
const DEADLINE = 'deadline';
const MAX_ADDRESSES = 4;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Hop {
  url: URL;
  method: HttpSpec['method'];
  body: string | null;
}

/**
 * One HTTP check from its first address to its verdict; redirects are hops of the same check and deadline.
 */
export class HttpRun {
  readonly #resources: HttpResources;
  readonly #spec: HttpSpec;
  readonly #timeoutMs: number;
  readonly #allowPrivate: boolean | undefined;
  readonly #startedAt: number;
  readonly #timings: Timings = {};
  #origin = '';
  #dnsCode = '';
  #last: ExchangeResult | null = null;

  constructor(resources: HttpResources, spec: HttpSpec, timeoutMs: number, allowPrivate?: boolean) {
    this.#resources = resources;
    this.#spec = spec;
    this.#timeoutMs = timeoutMs;
    this.#allowPrivate = allowPrivate;
    this.#startedAt = resources.context.clock.monotonic();
  }

  async run(): Promise<Finding> {
    const spec = this.#spec;
    if (!URL.canParse(spec.url)) return failure('connection_error', 'The address is not a URL');
    let hop: Hop = { url: new URL(spec.url), method: spec.method, body: spec.body };
    this.#origin = hop.url.origin;
    for (let redirects = 0; ; redirects += 1) {
      const finding = await this.#visit(hop);
      if (finding) return finding;
      const next = this.#redirect(hop, redirects);
      if ('outcome' in next) return next;
      hop = next;
    }
  }

  /** Null when the answer is a redirect to follow. */
  async #visit(hop: Hop): Promise<Finding | null> {
    if (hop.url.protocol !== 'http:' && hop.url.protocol !== 'https:') {
      return failure(
        'connection_error', `Refused to follow a redirect to ${printable(hop.url.protocol)} addresses`,
        this.#known(),
      );
    }
    const { host, isAddress } = endpointOf(hop.url);
    if (isAddress) return this.#attempt(hop, [host]);
    const ipv4 = await this.#resolve(host, 4);
    if (ipv4.length > 0) {
      const finding = await this.#attempt(hop, ipv4);
      if (!this.#isUnreachable() || this.#leftMs() <= 0) return finding;
      const ipv6 = await this.#resolve(host, 6);
      return ipv6.length > 0 ? this.#attempt(hop, ipv6) : finding;
    }
    if (this.#dnsCode === 'ENOTFOUND') return this.#dnsFailure(host);
    const firstCode = this.#dnsCode;
    const ipv6 = await this.#resolve(host, 6);
    if (ipv6.length > 0) return this.#attempt(hop, ipv6);
    if (firstCode !== 'ENODATA') this.#dnsCode = firstCode;
    return this.#dnsFailure(host);
  }

  #dnsFailure(host: string): Finding {
    // Nobody listens where this machine's name server should be: that says nothing about the target.
    if (this.#dnsCode === 'ECONNREFUSED') return missed('probe_unhealthy');
    // A timer may fire a moment before the clock says that its time has come.
    return this.#dnsCode === DEADLINE || this.#leftMs() <= 0
      ? this.#timedOut(`looking up ${printable(host)}`)
      : failure('dns_error', dnsProblem(this.#dnsCode, host), this.#known());
  }

  async #resolve(host: string, family: 4 | 6): Promise<string[]> {
    const { clock, resolver } = this.#resources.context;
    const startedAt = clock.monotonic();
    const answer = await new Promise<Awaited<ReturnType<typeof resolver.resolve>>>((resolve) => {
      const timer = clock.setTimer(Math.max(0, this.#leftMs()), () => resolve({ ok: false, code: DEADLINE }));
      void resolver.resolve(host, family).then((resolution) => {
        timer.cancel();
        resolve(resolution);
      });
    });
    this.#timings.dns = (this.#timings.dns ?? 0) + clock.monotonic() - startedAt;
    this.#dnsCode = answer.ok ? 'ENODATA' : answer.code;
    return answer.ok
      ? answer.addresses.filter((address) => isIP(address) === family).slice(0, MAX_ADDRESSES)
      : [];
  }

  /** Tries the addresses in turn until one takes the connection; a share of the time left for each. */
  async #attempt(hop: Hop, addresses: string[]): Promise<Finding | null> {
    const { allowAddress } = this.#resources.context;
    if (!addresses.every((address) => allowAddress(address, this.#allowPrivate))) {
      return missed('blocked_target');
    }
    for (let at = 0; at < addresses.length; at += 1) {
      const result = await this.#exchange(hop, addresses[at] as string, addresses.length - at);
      this.#last = result;
      this.#addTimings(result);
      if (!this.#isUnreachable() || this.#leftMs() <= 0) break;
    }
    return this.#verdict(hop);
  }

  #exchange(hop: Hop, address: string, addressesLeft: number): Promise<ExchangeResult> {
    const { host, port, isAddress } = endpointOf(hop.url);
    const leftMs = this.#leftMs();
    return exchange({
      address, port,
      tls: hop.url.protocol === 'https:'
        ? {
          host, sendName: !isAddress, verify: this.#spec.verify_ssl, context: this.#resources.secureContext,
        }
        : null,
      request: requestBytes({
        url: hop.url, method: hop.method, headers: this.#spec.headers, body: hop.body,
        sameOrigin: hop.url.origin === this.#origin, version: this.#resources.context.version,
      }),
      bodiless: hop.method === 'HEAD',
      timeoutMs: leftMs, connectTimeoutMs: leftMs / addressesLeft,
      clock: this.#resources.context.clock, buffer: this.#resources.buffer,
    });
  }

  /** Whether the last address did not even take the connection, so that another one may. */
  #isUnreachable(): boolean {
    return this.#last?.failed?.phase === 'connect';
  }

  #verdict(hop: Hop): Finding | null {
    const last = this.#last as ExchangeResult;
    const spec = this.#spec;
    if (spec.verify_ssl && last.tls && last.tlsProblem !== null) {
      return failure(
        'ssl_error', certificateProblem(last.tlsProblem, endpointOf(hop.url).host, last.tls), this.#known(),
      );
    }
    if (!last.head) return this.#exchangeFailure(last);
    const { status } = last.head;
    if (isExpected(spec, status)) return this.#success(status);
    if (spec.follow_redirects && REDIRECTS.has(status) && last.head.location !== null) return null;
    return failure(
      'status_code', `Expected ${expectedText(spec)}, got ${status}`,
      { status_code: status, ...this.#known() },
    );
  }

  #success(status: number): Finding {
    const known = this.#known();
    const threshold = this.#spec.slow_response_threshold_ms;
    return {
      outcome: 'success', degraded: threshold !== null && known.response_time_ms > threshold,
      response_time_ms: known.response_time_ms, status_code: status, error: null, missed: null,
      timings: known.timings, remote_address: known.remote_address, tls: known.tls, detail: null,
    };
  }

  #exchangeFailure(last: ExchangeResult): Finding {
    const failed = last.failed as NonNullable<ExchangeResult['failed']>;
    if (failed.code === 'TIMEOUT') {
      return this.#timedOut(failed.phase === 'connect'
        ? 'connecting'
        : failed.phase === 'tls' ? 'in the TLS handshake' : 'waiting for the answer');
    }
    const problem = exchangeProblem(failed.phase, failed.code, failed.message);
    return problem.kind === 'own'
      ? missed(problem.reason)
      : failure(problem.type, problem.message, this.#known());
  }

  /**
   * A deadline that was noticed much too late says that this process stood still, not that the target did.
   */
  #timedOut(doing: string): Finding {
    if (this.#leftMs() < -STALL_MS) return missed('overload');
    return failure('timeout', `No answer within ${this.#timeoutMs} ms (${doing})`, this.#known());
  }

  #redirect(hop: Hop, redirects: number): Hop | Finding {
    const head = (this.#last as ExchangeResult).head as NonNullable<ExchangeResult['head']>;
    const known = { status_code: head.status, ...this.#known() };
    if (redirects >= this.#spec.max_redirects) {
      return failure('status_code', `More than ${this.#spec.max_redirects} redirects`, known);
    }
    const location = head.location as string;
    if (!URL.canParse(location, hop.url.href)) {
      return failure('connection_error', `A redirect leads nowhere: ${printable(location)}`, known);
    }
    const url = new URL(location, hop.url);
    const becomesGet = head.status === 303 || (head.status < 303 && hop.method === 'POST');
    return becomesGet && hop.method !== 'HEAD'
      ? { url, method: 'GET', body: null }
      : { url, method: hop.method, body: hop.body };
  }

  #leftMs(): number {
    return this.#timeoutMs - (this.#resources.context.clock.monotonic() - this.#startedAt);
  }

  #addTimings(result: ExchangeResult): void {
    const timings = this.#timings;
    if (result.connectedAt === 0) return;
    timings.connect = (timings.connect ?? 0) + result.connectedAt - result.startedAt;
    if (result.securedAt > 0) timings.tls = (timings.tls ?? 0) + result.securedAt - result.connectedAt;
    if (result.firstByteAt === 0) return;
    timings.first_byte = (timings.first_byte ?? 0) + result.firstByteAt - Math.max(
      result.connectedAt, result.securedAt,
    );
    timings.transfer = (timings.transfer ?? 0) + result.endedAt - result.firstByteAt;
  }

  #known(): {
    response_time_ms: number;
    timings: Timings;
    remote_address: string | null;
    tls: Finding['tls'];
  } {
    const last = this.#last;
    return {
      response_time_ms: this.#resources.context.clock.monotonic() - this.#startedAt,
      timings: this.#timings,
      remote_address: last?.remoteAddress ?? null,
      tls: last?.tls ?? null,
    };
  }
}

function isExpected(spec: HttpSpec, status: number): boolean {
  return spec.expected_status.length === 0
    ? status >= 200 && status <= 299
    : spec.expected_status.includes(status);
}

function expectedText(spec: HttpSpec): string {
  if (spec.expected_status.length === 0) return '200-299';
  const [only] = spec.expected_status;
  return spec.expected_status.length === 1
    ? String(only)
    : `one of ${spec.expected_status.slice(0, 10).join(', ')}`;
}
