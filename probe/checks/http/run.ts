import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import type { Timings } from '../../../shared/contracts/result.ts';
import { failure, printable, type Finding } from '../check.ts';
import { Deadline } from '../deadline.ts';
import { connectionFailure } from '../network/problems.ts';
import { Target } from '../network/target.ts';
import { certificateProblem } from '../tls/certificate.ts';
import { exchange, type ExchangeResult } from './exchange.ts';
import { requestBytes } from './request-head.ts';
import { endpointOf, type HttpResources } from './resources.ts';

const DOING = {
  connect: 'connecting', tls: 'in the TLS handshake', response: 'waiting for the answer',
};
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
  readonly #deadline: Deadline;
  readonly #target: Target;
  readonly #timings: Timings = {};
  #origin = '';
  #last: ExchangeResult | null = null;

  constructor(resources: HttpResources, spec: HttpSpec, timeoutMs: number, allowPrivate?: boolean) {
    this.#resources = resources;
    this.#spec = spec;
    this.#deadline = new Deadline(resources.context.clock, timeoutMs);
    this.#target = new Target(resources.context, this.#deadline, allowPrivate);
  }

  async run(): Promise<Finding> {
    const spec = this.#spec;
    if (!URL.canParse(spec.url)) return failure('connection_error', 'request', 'The address is not a URL');
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
        'connection_error', 'response',
        `Refused to follow a redirect to ${printable(hop.url.protocol)} addresses`, this.#known(),
      );
    }
    const { host } = endpointOf(hop.url);
    const unreached = await this.#target.reach(host, 'any', async (address, shareMs) => {
      this.#last = await this.#exchange(hop, address, shareMs);
      this.#addTimings(this.#last);
      return this.#last.failed?.phase !== 'connect';
    });
    if (this.#target.lookupMs !== null) this.#timings.dns = this.#target.lookupMs;
    if (unreached?.outcome === 'failure') return { ...unreached, ...this.#known() };
    return unreached ?? this.#verdict(hop);
  }

  #exchange(hop: Hop, address: string, shareMs: number): Promise<ExchangeResult> {
    const { host, port, isAddress } = endpointOf(hop.url);
    return exchange({
      address, port,
      tls: hop.url.protocol === 'https:'
        ? {
          host, sendName: !isAddress, verify: this.#spec.verify_ssl,
          context: this.#resources.context.trust.context,
        }
        : null,
      request: requestBytes({
        url: hop.url, method: hop.method, headers: this.#spec.headers, body: hop.body,
        sameOrigin: hop.url.origin === this.#origin, version: this.#resources.context.version,
      }),
      bodiless: hop.method === 'HEAD',
      timeoutMs: this.#deadline.leftMs, connectTimeoutMs: shareMs,
      clock: this.#resources.context.clock, buffer: this.#resources.buffer,
    });
  }

  #verdict(hop: Hop): Finding | null {
    const last = this.#last as ExchangeResult;
    const spec = this.#spec;
    if (spec.verify_ssl && last.tls && last.tlsProblem !== null) {
      return failure(
        'ssl_error', 'tls', certificateProblem(last.tlsProblem, endpointOf(hop.url).host, last.tls),
        this.#known(),
      );
    }
    if (!last.head) return this.#exchangeFailure(last);
    const { status } = last.head;
    if (isExpected(spec, status)) return this.#success(status);
    if (spec.follow_redirects && REDIRECTS.has(status) && last.head.location !== null) return null;
    return failure(
      'status_code', 'response', `Expected ${expectedText(spec)}, got ${status}`,
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
    if (failed.code !== 'TIMEOUT') return connectionFailure(failed, this.#known());
    return this.#deadline.passed(failed.phase, DOING[failed.phase], this.#known());
  }

  #redirect(hop: Hop, redirects: number): Hop | Finding {
    const head = (this.#last as ExchangeResult).head as NonNullable<ExchangeResult['head']>;
    const known = { status_code: head.status, ...this.#known() };
    if (redirects >= this.#spec.max_redirects) {
      return failure('status_code', 'response', `More than ${this.#spec.max_redirects} redirects`, known);
    }
    const location = head.location as string;
    if (!URL.canParse(location, hop.url.href)) {
      return failure('connection_error', 'response', `A redirect leads nowhere: ${printable(location)}`, known);
    }
    const url = new URL(location, hop.url);
    const becomesGet = head.status === 303 || (head.status < 303 && hop.method === 'POST');
    return becomesGet && hop.method !== 'HEAD'
      ? { url, method: 'GET', body: null }
      : { url, method: hop.method, body: hop.body };
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
      response_time_ms: this.#deadline.elapsedMs,
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
