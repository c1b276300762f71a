import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type CheckFactory, type Finding } from './check.ts';
import { createDnsCheck } from './dns.ts';
import { createHttpChecks } from './http.ts';
import { createIcmpCheck } from './icmp.ts';
import { createTcpCheck } from './tcp.ts';

const CHECKS: readonly CheckFactory[] = [
  createDnsCheck,
  createHttpChecks,
  createIcmpCheck,
  createTcpCheck,
];

/** The checks supported by this version. */
export class CheckRegistry {
  readonly #checks: ReadonlyMap<string, Check>;

  constructor(context: CheckContext, factories: readonly CheckFactory[] = CHECKS) {
    const checks = factories.flatMap((create) => create(context));
    this.#checks = new Map(checks.map((check) => [check.type, check]));
  }

  /** Check types and methods as listed in beats. */
  get capabilities(): string[] {
    return [...this.#checks.values()].flatMap((check) => check.capabilities ?? [check.type]);
  }

  /** Runs the check of that type; an unknown type ends as `missed(unsupported)`. */
  run(spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> {
    const check = this.#checks.get(spec.type);
    return check ? check.run(spec, timeoutMs, allowPrivate) : Promise.resolve(missed('unsupported'));
  }
}
