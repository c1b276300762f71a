import type { HttpSpec, KeywordSpec } from '../../../shared/contracts/check-spec.ts';
import type { ErrorType, Timings } from '../../../shared/contracts/result.ts';
import { fnv1a } from '../../../shared/ids.ts';
import { parsedUrl } from '../../../shared/net-guard.ts';
import {
  failure, shortened,
  type ErrorLayer, type Finding, type LazyTargetFacts, type ObservedResponse, type ResponseFacts,
} from '../check.ts';
import { Deadline } from '../deadline.ts';
import { correctCode } from '../network/own-route.ts';
import { connectionFailure, activityIn, moreInformative } from '../network/problems.ts';
import { Target } from '../network/target.ts';
import { contentRules } from './content-rules.ts';
import { faultOfContent, type ContentRule } from './content.ts';
import { isDecodable } from './decode-body.ts';
import { exchange, type ExchangeResult } from './exchange.ts';
import { expectedText, isExpected } from './expected-status.ts';
import { nextHop, REDIRECT_STATUSES, tooManyRedirects, type Hop } from './hops.ts';
import { requestBytes } from './request-head.ts';
import { endpointOf, type HttpResources } from './resources.ts';
import type { BodyUse } from './response-reader.ts';
import { comparedHeaders, type ResponseHead } from './response-head.ts';

/** Maximum characters of a URL quoted in a message. */
const MAX_QUOTED_LENGTH = 200;

/**
 * One HTTP check from its first address to its outcome. Redirects are hops of the same check and deadline.
 */
export class HttpRun implements ObservedResponse, LazyTargetFacts {
  readonly #resources: HttpResources;
  readonly #spec: HttpSpec | KeywordSpec;
  readonly #rules: readonly ContentRule[];
  readonly #wantsBody: boolean;
  readonly #deadline: Deadline;
  readonly #target: Target;
  readonly #timings: Timings = {};
  readonly #visited: URL[] = [];
  #elapsedMs = 0;
  #last: ExchangeResult | null = null;
  /** That of a response which is no redirect to follow. */
  #finalHead: ResponseHead | null = null;

  constructor(
    resources: HttpResources, spec: HttpSpec | KeywordSpec, timeoutMs: number, allowPrivate?: boolean,
  ) {
    this.#resources = resources;
    this.#spec = spec;
    this.#rules = contentRules(spec);
    this.#wantsBody = this.#rules.some((rule) => rule.wantsBody);
    this.#deadline = new Deadline(resources.context.clock, timeoutMs);
    this.#target = new Target(resources.context, this.#deadline, allowPrivate);
  }

  get addresses(): readonly string[] {
    return this.#target.addresses;
  }

  get head(): string | null {
    return this.#last?.head?.text ?? null;
  }

  get body(): string | null {
    return this.#last?.head ? this.#last.excerpt : null;
  }

  get name(): string | null {
    return this.#target.name;
  }

  get nameAddresses(): readonly string[] {
    return this.#target.nameAddresses;
  }

  get responseHash(): number | null {
    const head = this.#finalHead;
    if (head === null || head.status >= 500) return null;
    const hash = head.comparedHash;
    return this.#visited.length > 1 ? hash ^ fnv1a(this.#redirects().join('\n')) : hash;
  }

  responseFacts(): ResponseFacts {
    return { redirects: this.#redirects(), headers: comparedHeaders(this.head ?? '') };
  }

  #redirects(): string[] {
    return this.#visited.slice(1).map(({ origin, pathname }) => origin + pathname);
  }

  async run(): Promise<Finding> {
    const { url, method, headers, body } = this.#spec;
    const first = parsedUrl(url);
    if (first === null) return failure('connection_error', 'request', 'The address is not a URL');
    let hop: Hop = { url: first, method, headers, body };
    for (;;) {
      const finding = await this.#visit(hop);
      this.#last?.holding.release();
      if (finding) return finding;
      const next = this.#redirect(hop);
      if ('outcome' in next) return next;
      hop = next;
    }
  }

  /** Null if the response is a redirect to follow. */
  async #visit(hop: Hop): Promise<Finding | null> {
    if (hop.url.protocol !== 'http:' && hop.url.protocol !== 'https:') {
      return this.#fail(
        'connection_error', 'response', `Refused to follow a redirect to ${hop.url.protocol} addresses`,
      );
    }
    this.#visited.push(hop.url);
    const { host, port } = this.#endpointFor(hop.url);
    let best: ExchangeResult | null = null;
    const unreached = await this.#target.reach(host, this.#spec.ip_family ?? 'any', async (address, shareMs) => {
      const result = await this.#exchange(hop, { address, port }, shareMs);
      if (result.failed) await correctCode(result.failed, address);
      this.#addTimings(result);
      this.#last = best = moreInformative(best, result);
      return result.failed?.phase !== 'connect';
    });
    this.#elapsedMs = this.#deadline.elapsedMs;
    if (this.#target.lookupMs !== null) this.#timings.dns = this.#target.lookupMs;
    if (unreached?.outcome === 'failure') {
      return { ...unreached, ...this.#known(), observed: this.#observedCopy() };
    }
    return unreached ?? this.#evaluate();
  }

  /**
   * The endpoint to connect to. The monitor's override applies to all hops to its host; its port only to hops
   * with the same port.
   */
  #endpointFor(url: URL): { host: string; port: number } {
    const endpoint = endpointOf(url);
    const override = this.#spec.connect_to;
    const first = endpointOf(this.#visited[0] as URL);
    if (!override || endpoint.host !== first.host) return endpoint;
    const isSamePort = endpoint.port === first.port;
    return { host: override.host, port: (isSamePort ? override.port : undefined) ?? endpoint.port };
  }

  #exchange(hop: Hop, to: { address: string; port: number }, shareMs: number): Promise<ExchangeResult> {
    const { host, isAddress } = endpointOf(hop.url);
    const { context, buffer, held } = this.#resources;
    return exchange({
      address: to.address, port: to.port,
      tls: hop.url.protocol === 'https:'
        ? {
          host, sendName: !isAddress, verify: this.#spec.verify_ssl,
          context: this.#spec.verify_ssl ? context.trust.context : context.trust.lenient,
        }
        : null,
      request: requestBytes({ wantsContent: this.#wantsBody, version: context.version, ...hop }),
      bodiless: hop.method === 'HEAD',
      useOf: (head) => this.#useOf(head),
      timeoutMs: this.#deadline.leftMs, connectTimeoutMs: shareMs, clock: context.clock, buffer, held,
    });
  }

  #useOf(head: ResponseHead): BodyUse {
    if (!isExpected(this.#spec, head.status)) return 'start';
    const isEncoded = head.encodings.length > 0 && isDecodable(head.encodings);
    return this.#wantsBody || isEncoded ? 'content' : 'whole';
  }

  #evaluate(): Finding | null | Promise<Finding> {
    const last = this.#last as ExchangeResult;
    const spec = this.#spec;
    const tlsProblem = spec.verify_ssl ? (last.tls?.problemMessage ?? null) : null;
    if (tlsProblem !== null) return this.#fail('ssl_error', 'tls', tlsProblem);
    if (!last.head) return this.#exchangeFailure(last);
    const { status, location } = last.head;
    const isAccepted = isExpected(spec, status);
    const isRedirect = REDIRECT_STATUSES.has(status) && location !== null;
    if (!isAccepted && spec.follow_redirects && isRedirect) return null;
    this.#finalHead = last.head;
    if (!isAccepted) {
      return this.#fail('status_code', 'response', `Expected ${expectedText(spec)}, got ${status}`);
    }
    if (last.failed) return this.#exchangeFailure(last);
    const hasMore = this.#rules.length > 0 || last.holding.hasBody;
    return hasMore ? this.#checkContent(last, status) : this.#success(status);
  }

  async #checkContent(last: ExchangeResult, status: number): Promise<Finding> {
    const fault = await faultOfContent(last, this.#rules, this.#resources.decoder);
    return fault ? this.#fail(fault.type, fault.layer, fault.message) : this.#success(status);
  }

  #success(status: number): Finding {
    const known = this.#known();
    const threshold = this.#spec.slow_response_threshold_ms;
    const isSlow = threshold !== null && known.response_time_ms > threshold;
    if (isSlow && this.#spec.slow_response_action === 'down') {
      const tookMs = Math.round(known.response_time_ms);
      return this.#fail('slow_response', 'response', `Response took ${tookMs} ms, slower than ${threshold} ms`);
    }
    return {
      outcome: 'success', degraded: isSlow,
      response_time_ms: known.response_time_ms, status_code: status, error: null, missed: null,
      timings: known.timings, remote_address: known.remote_address, tls: known.tls, facts: this, detail: null,
      observed: this,
    };
  }

  #exchangeFailure(last: ExchangeResult): Finding {
    const failed = last.failed as NonNullable<ExchangeResult['failed']>;
    const known = this.#knownOfResponse();
    if (failed.code !== 'TIMEOUT') return connectionFailure(failed, known);
    const activity = last.head
      ? `reading the body, ${last.received} bytes so far`
      : activityIn(failed.phase, 'the response');
    return this.#deadline.timedOut(failed.phase, activity, known);
  }

  #redirect(hop: Hop): Hop | Finding {
    const { status, location } = (this.#last as ExchangeResult).head as ResponseHead;
    const url = parsedUrl(location as string, hop.url);
    if (url === null) {
      const shown = shortened((location as string).replace(/[?#].*$/s, ''), MAX_QUOTED_LENGTH);
      return this.#fail('connection_error', 'response', `A redirect has an invalid target: ${shown}`);
    }
    const maxRedirects = this.#spec.max_redirects;
    if (this.#visited.length <= maxRedirects) return nextHop(hop, status, url);
    return this.#fail('status_code', 'response', tooManyRedirects(this.#visited, url, maxRedirects));
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

  #fail(type: ErrorType, layer: ErrorLayer, message: string): Finding {
    return failure(type, layer, message, this.#knownOfResponse());
  }

  #knownOfResponse(): Partial<Finding> {
    return {
      status_code: this.#last?.head?.status ?? null, ...this.#known(), observed: this.#observedCopy(),
    };
  }

  /** A copy without the body: on failure, the observation may be queued and must not retain it. */
  #observedCopy(): ObservedResponse {
    const { addresses, head, body } = this;
    return { addresses, head, body };
  }

  #known(): {
    response_time_ms: number;
    timings: Timings;
    remote_address: string | null;
    tls: Finding['tls'];
    facts: LazyTargetFacts;
  } {
    const last = this.#last;
    return {
      response_time_ms: this.#elapsedMs,
      timings: this.#timings,
      remote_address: last?.remoteAddress ?? null,
      tls: last?.tls ?? null,
      facts: this,
    };
  }
}
