import { isIP } from 'node:net';
import type { IpFamily } from '../../../shared/contracts/check-spec.ts';
import {
  failure, missed, printable,
  type CheckContext, type Finding, type LazyTargetFacts, type ObservedResponse,
} from '../check.ts';
import type { Deadline } from '../deadline.ts';
import type { Resolution } from './resolver.ts';

/** Stands for a name server response that did not arrive in time. */
const DEADLINE_CODE = 'deadline';
/** Addresses of a name tried before it counts as unreachable. */
const MAX_ADDRESSES = 4;

/**
 * One attempt at an address, with `shareMs` to connect. Returns true if the address was reached, whatever the
 * outcome; then no other address is tried.
 */
export type Attempt = (address: string, shareMs: number) => Promise<boolean>;

/**
 * Resolves the hosts of a check within its deadline, to addresses it may connect to. Its facts are about the
 * first host.
 */
export class Target implements ObservedResponse, LazyTargetFacts {
  readonly #context: CheckContext;
  readonly #deadline: Deadline;
  readonly #allowPrivate: boolean | undefined;
  #lookupMs: number | null = null;
  #code = '';
  #found: readonly string[] = [];
  /** The first host; undefined before it. */
  #name: string | null | undefined;
  #nameAddresses: readonly string[] = [];

  /** `allowPrivate` comes from the assignment. */
  constructor(context: CheckContext, deadline: Deadline, allowPrivate: boolean | undefined) {
    this.#context = context;
    this.#deadline = deadline;
    this.#allowPrivate = allowPrivate;
  }

  /** Time spent on name servers so far, ms; null if none was queried. */
  get lookupMs(): number | null {
    return this.#lookupMs;
  }

  /** All addresses of the last host that may be checked, in the order they are tried. */
  get addresses(): readonly string[] {
    return this.#allowed(this.#found);
  }

  get name(): string | null {
    return this.#name ?? null;
  }

  /** Of the first family that has any, because the other one is looked up only while that one fails. */
  get nameAddresses(): readonly string[] {
    return this.#allowed(this.#nameAddresses);
  }

  /** Overridden by checks whose target responds. */
  get head(): null {
    return null;
  }

  get body(): null {
    return null;
  }

  /**
   * Tries the addresses of `host` (a name, or an address without brackets) in turn until one is reached: IPv4
   * first, then IPv6. Returns null once any was tried, otherwise why none could be.
   */
  async reach(host: string, family: IpFamily, attempt: Attempt): Promise<Finding | null> {
    const literal = isIP(host);
    const isFirst = this.#name === undefined;
    if (isFirst) this.#name = literal === 0 ? host : null;
    if (literal !== 0) {
      this.#found = [host];
      return family === 'any' || family === (literal === 4 ? 'ipv4' : 'ipv6')
        ? (await this.#attemptAddresses(this.#found, attempt)).finding
        : failure('connection_error', 'connect', `${host} is not an ${nameOf(family)} address`);
    }
    const families = family === 'any' ? ([4, 6] as const) : family === 'ipv4' ? ([4] as const) : ([6] as const);
    return this.#reachName(host, families, attempt, isFirst);
  }

  async #reachName(
    host: string, families: readonly (4 | 6)[], attempt: Attempt, isFirst: boolean,
  ): Promise<Finding | null> {
    let [isAttempted, code] = [false, 'ENODATA'];
    this.#found = [];
    for (const family of families) {
      const addresses = await this.#lookUp(host, family);
      if (addresses.length > 0) {
        if (isFirst && !isAttempted && code === 'ENODATA') this.#nameAddresses = this.#found;
        const { finding, isReached } = await this.#attemptAddresses(addresses, attempt);
        if (finding || isReached || this.#deadline.leftMs <= 0) return finding;
        isAttempted = true;
      } else if (!isAttempted) {
        if (this.#code !== 'ENODATA') code = this.#code;
        // A nonexistent name has no address in the other family either.
        if (this.#code === 'ENOTFOUND') break;
      }
    }
    return isAttempted ? null : this.#lookupFailure(host, code, families);
  }

  #allowed(addresses: readonly string[]): readonly string[] {
    if (addresses.length === 0) return addresses;
    return addresses.filter((address) => this.#context.allowAddress(address, this.#allowPrivate));
  }

  async #attemptAddresses(
    addresses: readonly string[], attempt: Attempt,
  ): Promise<{ finding: Finding | null; isReached: boolean }> {
    if (!addresses.every((address) => this.#context.allowAddress(address, this.#allowPrivate))) {
      return { finding: missed('blocked_target'), isReached: false };
    }
    for (const [at, address] of addresses.entries()) {
      const isReached = await attempt(address, this.#deadline.leftMs / (addresses.length - at));
      if (isReached) return { finding: null, isReached };
      if (this.#deadline.leftMs <= 0) break;
    }
    return { finding: null, isReached: false };
  }

  async #lookUp(host: string, family: 4 | 6): Promise<string[]> {
    const { clock, resolver } = this.#context;
    const startedAt = clock.monotonic();
    const result = await new Promise<Resolution>((resolve) => {
      const onDeadline = (): void => resolve({ ok: false, code: DEADLINE_CODE });
      const timer = clock.setTimer(Math.max(0, this.#deadline.leftMs), onDeadline);
      void resolver.resolve(host, family).then((resolution) => {
        timer.cancel();
        resolve(resolution);
      });
    });
    this.#lookupMs = (this.#lookupMs ?? 0) + clock.monotonic() - startedAt;
    this.#code = result.ok ? 'ENODATA' : result.code;
    if (!result.ok) return [];
    const found = result.addresses.filter((address) => isIP(address) === family);
    this.#found = this.#found.length === 0 ? found : [...this.#found, ...found];
    return found.slice(0, MAX_ADDRESSES);
  }

  #lookupFailure(host: string, code: string, families: readonly (4 | 6)[]): Finding {
    // Nothing listens at this machine's name server address, which says nothing about the target.
    if (code === 'ECONNREFUSED') return missed('probe_unhealthy');
    // A timer may fire slightly before the clock reaches its time.
    return code === DEADLINE_CODE || this.#deadline.leftMs <= 0
      ? this.#deadline.nameServersTimedOut(printable(host))
      : failure('dns_error', 'dns', lookupProblem(code, host, families));
  }
}

function nameOf(family: IpFamily): string {
  return family === 'ipv4' ? 'IPv4' : 'IPv6';
}

function lookupProblem(code: string, host: string, families: readonly (4 | 6)[]): string {
  const name = printable(host).slice(0, 255);
  const kind = families.length > 1 ? 'address' : `IPv${families[0] as number} address`;
  if (code === 'ENOTFOUND') return `The name ${name} does not exist`;
  if (code === 'ENODATA') return `The name ${name} has no ${kind}`;
  if (code === 'ETIMEOUT') return `The DNS servers did not respond for ${name}`;
  if (code === 'ESERVFAIL') return `The DNS servers failed for ${name}`;
  if (code === 'EREFUSED') return `The DNS servers refused the query for ${name}`;
  return `Could not look up the name ${name} (${printable(code)})`;
}
