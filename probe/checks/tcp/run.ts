import type { TcpSpec } from '../../../shared/contracts/check-spec.ts';
import type { Timings } from '../../../shared/contracts/result.ts';
import { failure, success, type CheckContext, type Finding, type ObservedResponse } from '../check.ts';
import { Deadline } from '../deadline.ts';
import { correctCode } from '../network/own-route.ts';
import { connectionFailure, activityIn, moreInformative } from '../network/problems.ts';
import { Target } from '../network/target.ts';
import { conversationOf } from './conversations.ts';
import { visit, type VisitResult } from './visit.ts';

/** One TCP check from the lookup to its outcome. */
export class TcpRun implements ObservedResponse {
  readonly #context: CheckContext;
  readonly #spec: TcpSpec;
  readonly #deadline: Deadline;
  readonly #target: Target;
  #last: VisitResult | null = null;

  constructor(context: CheckContext, spec: TcpSpec, timeoutMs: number, allowPrivate?: boolean) {
    this.#context = context;
    this.#spec = spec;
    this.#deadline = new Deadline(context.clock, timeoutMs);
    this.#target = new Target(context, this.#deadline, allowPrivate);
  }

  get addresses(): readonly string[] {
    return this.#target.addresses;
  }

  get head(): null {
    return null;
  }

  get body(): string | null {
    return this.#last?.excerpt || null;
  }

  async run(): Promise<Finding> {
    const unreached = await this.#target.reach(this.#spec.host, 'any', async (address, shareMs) => {
      const result = await this.#visit(address, shareMs);
      if (result.failed) await correctCode(result.failed, address);
      this.#last = moreInformative(this.#last, result);
      return result.failed?.phase !== 'connect';
    });
    if (unreached?.outcome === 'failure') return { ...unreached, ...this.#known() };
    return unreached ?? this.#evaluate(this.#last as VisitResult);
  }

  #visit(address: string, shareMs: number): Promise<VisitResult> {
    const { host, port, tls } = this.#spec;
    const { clock, trust, version } = this.#context;
    return visit({
      address, port, host, isImplicitTls: tls === 'implicit', context: trust.lenient, clock,
      converse: (localAddress) => conversationOf(this.#spec, { address: localAddress, version }),
      timeoutMs: this.#deadline.leftMs, connectTimeoutMs: shareMs,
    });
  }

  #evaluate({ failed, fault, awaited }: VisitResult): Finding {
    const known = this.#known();
    if (failed?.code === 'TIMEOUT') {
      const finding = this.#deadline.timedOut(failed.phase, activityIn(failed.phase, awaited), known);
      if (fault === null || finding.outcome === 'missed') return finding;
    }
    if (fault) return failure(fault.type, fault.layer, fault.message, known);
    if (failed) return connectionFailure(failed, known);
    return success(known);
  }

  #known(): Pick<Finding, 'response_time_ms' | 'timings' | 'remote_address' | 'tls' | 'facts' | 'observed'> {
    return {
      response_time_ms: this.#deadline.elapsedMs, timings: this.#timings(),
      remote_address: this.#last?.remoteAddress ?? null, tls: this.#last?.tls ?? null,
      facts: this.#target, observed: this,
    };
  }

  #timings(): Timings {
    const { lookupMs } = this.#target;
    const timings: Timings = lookupMs === null ? {} : { dns: lookupMs };
    if (!this.#last || this.#last.connectedAt === 0) return timings;
    const { startedAt, connectedAt, securingAt, securedAt, firstByteAt } = this.#last;
    timings.connect = connectedAt - startedAt;
    if (securedAt > 0) timings.tls = securedAt - securingAt;
    if (firstByteAt > 0) {
      timings.first_byte = firstByteAt - (securedAt > 0 && securedAt < firstByteAt ? securedAt : connectedAt);
    }
    return timings;
  }
}
