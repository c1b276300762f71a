import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classifyAddress } from '../../shared/net-guard.ts';
import { parsedUrl } from '../../shared/parsed-url.ts';
import type { HostAndPort } from '../../shared/setting.ts';
import { sleep, type Clock, type Timer } from '../../shared/time.ts';
import type { Resolver } from '../checks/network/resolver.ts';
import { isLost, type Reach } from './uplink-rules.ts';

/** For the name and the connection together. */
const REACH_TIMEOUT_MS = 2000;
/** Addresses of one anchor that are tried, of each family. */
const MAX_ADDRESSES_PER_FAMILY = 2;
/** While the way out is lost, how often it is tried again. */
const LOST_CHECK_INTERVAL_MS = 3000;
/**
 * Two looks in this time at most, where targets fail all the time. The second may follow at once: a recheck
 * fails a moment after the check that it confirms.
 */
const TWO_CHECKS_MS = 1000;
/** The same while the connection to NATS answers, which costs nobody a new one. */
const TWO_PINGS_MS = 100;
/** How long that connection alone is asked. */
const LINK_TIMEOUT_MS = 100;
const DEFAULT_PORTS: Readonly<Record<string, number>> =
  { 'nats:': 4222, 'tls:': 4222, 'http:': 80, 'https:': 443 };

export interface AnchorsOptions {
  clock: Clock;
  resolver: Resolver;
  /** Places that the operator says answer whenever anybody does. They alone decide where there are any. */
  named: readonly HostAndPort[];
  /** NATS and the controller, in place of named ones. */
  installation: readonly HostAndPort[];
  /** Whether NATS answers over the connection that is there; false without one. Never rejects. */
  isLinkResponsive: (timeoutMs: number) => Promise<boolean>;
}

/**
 * Tells this probe's own uplink from its targets, by other places. They are tried when a check has failed,
 * all at once, at most twice a second and by opening a connection alone; and while the way out is lost, until
 * it is back. Where none is named, NATS is asked first over the connection that is there.
 */
export class Anchors {
  readonly #options: AnchorsOptions;
  readonly #clock: Clock;
  /** The look that is under way, or begins soon. */
  #check: Promise<void> | null = null;
  #checkedAtMs = -Infinity;
  #previousCheckMs = -Infinity;
  #isLost = false;
  #isLinkResponsive = false;
  /** The way out may have been gone until then, monotonic. */
  #lostUntilMs = -Infinity;
  #retryTimer: Timer | null = null;

  constructor(options: AnchorsOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * Whether this probe has lost its way out, or may have been without it at some moment after `sinceMs`
   * (monotonic), when the check began whose failure is in question. Never rejects, and answers within three
   * seconds.
   */
  async isCutOff(sinceMs: number): Promise<boolean> {
    const isExcused = (): boolean => this.#isLost || this.#lostUntilMs >= sinceMs;
    if (!isExcused()) await (this.#check ??= this.#checkThrottled());
    return isExcused();
  }

  stop(): void {
    this.#retryTimer?.cancel();
  }

  /** An answer of before the failure would not do: the way out may have been lost just since. */
  async #checkThrottled(): Promise<void> {
    const windowMs = this.#isLinkResponsive ? TWO_PINGS_MS : TWO_CHECKS_MS;
    const waitMs = this.#previousCheckMs + windowMs - this.#clock.monotonic();
    if (waitMs > 0) await sleep(this.#clock, waitMs);
    await this.#checkNow();
    this.#check = null;
  }

  async #checkNow(): Promise<void> {
    this.#previousCheckMs = this.#checkedAtMs;
    this.#checkedAtMs = this.#clock.monotonic();
    const isLost = await this.#isUplinkLost();
    // It came back some time before this look: what had begun by then may have failed for the lack of it.
    if (isLost) this.#lostUntilMs = this.#clock.monotonic();
    else if (this.#isLost) this.#lostUntilMs = this.#checkedAtMs;
    this.#isLost = isLost;
    this.#retryTimer = isLost
      ? this.#clock.setTimer(LOST_CHECK_INTERVAL_MS, () => void this.#checkNow())
      : null;
  }

  async #isUplinkLost(): Promise<boolean> {
    const { named, installation, isLinkResponsive } = this.#options;
    if (named.length > 0) return isLost('named', await Promise.all(named.map((endpoint) => this.#reach(endpoint))));
    const link = isLinkResponsive(REACH_TIMEOUT_MS);
    const timeout = sleep(this.#clock, LINK_TIMEOUT_MS).then(() => false);
    this.#isLinkResponsive = await Promise.race([link, timeout]);
    if (this.#isLinkResponsive) return false;
    const isLocal = localAddressMatcher();
    const reaches = installation.map((endpoint) => this.#reach(endpoint, isLocal));
    reaches.push(link.then((isResponsive) => (isResponsive ? 'responds' : 'unknown')));
    return new Promise((resolve) => {
      // One that answers decides: the verdict on a target need not wait for those that do not.
      for (const reach of reaches) void reach.then((found) => found === 'responds' && resolve(false));
      void Promise.all(reaches).then((all) => resolve(isLost('installation', all)));
    });
  }

  /** `isHere`: whether an address says nothing about the network. */
  #reach(endpoint: HostAndPort, isLocal: (address: string) => boolean = () => false): Promise<Reach> {
    return new Promise((resolve) => {
      const ended = new AbortController();
      const end = (reach: Reach): void => {
        timer.cancel();
        ended.abort();
        resolve(reach);
      };
      const timer = this.#clock.setTimer(REACH_TIMEOUT_MS, () => end('silent'));
      void this.#addresses(endpoint.host).then((addresses) => {
        if (addresses.length > 0 && addresses.every(isLocal)) return end('unknown');
        const attempts = addresses.map((address) => accepts(address, endpoint.port, ended.signal));
        return Promise.any(attempts).then(() => end('responds'), () => end('silent'));
      });
    });
  }

  async #addresses(host: string): Promise<string[]> {
    if (classifyAddress(host) !== 'invalid') return [host];
    const { resolver } = this.#options;
    const found = await Promise.all([resolver.resolve(host, 4), resolver.resolve(host, 6)]);
    return found.flatMap((each) => (each.ok ? each.addresses.slice(0, MAX_ADDRESSES_PER_FAMILY) : []));
  }
}

/** The places in addresses of NATS, by commas, or of a controller; without those that are no addresses. */
export function endpointsIn(urls: string): HostAndPort[] {
  return urls.split(',').flatMap((text) => parsedUrl(text.trim()) ?? []).map(({ protocol, hostname, port }) => (
    { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }
  ));
}

/** Rejects when no connection opens, or `signal` comes first. */
function accepts(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}

/** Whether an address is one of this machine as it is now. */
function localAddressMatcher(): (address: string) => boolean {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = new Set(all.map(({ address }) => address));
  return (address) => classifyAddress(address) === 'loopback' || own.has(address);
}
