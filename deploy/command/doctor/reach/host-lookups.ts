import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

const QUERY = { timeout: 2000, tries: 2 };

/** Null: the host has an address. */
export type LookupFailure = 'missing' | 'unreachable' | null;

/**
 * Looks host names up before anything connects to them. The system's lookup blocks one of four threads, which
 * files need too, so only one runs at a time, for names that are not in DNS: the hosts file may know them.
 */
export class HostLookups {
  readonly #dns = new Resolver(QUERY);
  readonly #known = new Map<string, Promise<LookupFailure>>();
  #system: Promise<unknown> = Promise.resolve();

  failureOf(host: string): Promise<LookupFailure> {
    const known = this.#known.get(host) ?? this.#find(host);
    this.#known.set(host, known);
    return known;
  }

  /** For `mongodb+srv://`: the hosts that such a name stands for. */
  async failureOfService(host: string): Promise<LookupFailure> {
    const failure = await this.#dns.resolveSrv(`_mongodb._tcp.${host}`).then(() => null, codeOf);
    return failure === null ? null : classify(failure);
  }

  async #find(host: string): Promise<LookupFailure> {
    if (isIP(host) !== 0) return null;
    const inDns = this.#dns.resolve4(host).catch((error: Error) => {
      if (classify(codeOf(error)) === 'unreachable') throw error;
      return this.#dns.resolve6(host);
    });
    const failure = await inDns.then(() => null, codeOf);
    if (failure === null) return null;
    const found = this.#system.then(() => lookup(host)).then(() => null, codeOf);
    this.#system = found;
    const bySystem = await found;
    if (bySystem === null) return null;
    return classify(failure) === 'unreachable' ? 'unreachable' : classify(bySystem);
  }
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Other codes mean that no name server responded, or none properly. */
export function classify(code: string): Exclude<LookupFailure, null> {
  return code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'unreachable';
}
