import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { openTunnel, proxyFor, type ProxyVariables } from '../../shared/http-proxy.ts';
import { endpointOf, classifyAddress, parsedUrl } from '../../shared/net-guard.ts';
import type { HostAndPort } from '../../shared/setting.ts';
import { sleep, type Clock, type Timer } from '../../shared/time.ts';
import type { Resolver } from '../checks/network/resolver.ts';
import { isLost, type Reach } from './uplink-rules.ts';

/** Includes the name lookup and the connection. */
const REACH_TIMEOUT_MS = 2000;
/** Addresses tried per anchor and family. */
const MAX_ADDRESSES_PER_FAMILY = 2;
/** Check interval while the uplink is lost. */
const LOST_CHECK_INTERVAL_MS = 3000;
/**
 * At most two checks in this time if targets fail constantly. The second may follow immediately: a recheck
 * fails right after the check that it confirms.
 */
const TWO_CHECKS_MS = 1000;
/** The same while NATS responds, because pings need no new connection. */
const TWO_PINGS_MS = 100;
/** How long to wait for NATS alone before trying the other endpoints. */
const LINK_TIMEOUT_MS = 100;

/** An endpoint of the installation, and the proxy in front of it, if any. */
export type Anchor = HostAndPort & { proxy?: URL };

export interface AnchorsOptions {
  clock: Clock;
  resolver: Resolver;
  /** Endpoints that the operator declares always reachable. If there are any, only they count. */
  named: readonly HostAndPort[];
  /** NATS and the controller; used if `named` is empty. */
  installation: readonly Anchor[];
  /** Whether NATS responds over the existing connection; false without one. Never rejects. */
  isLinkResponsive: (timeoutMs: number) => Promise<boolean>;
}

/**
 * Tells a lost uplink from failed targets by connecting to other endpoints: all at once after a failed check,
 * at most twice a second, and periodically while the uplink is lost. Unless endpoints are named, the existing
 * NATS connection is tried first.
 */
export class Anchors {
  readonly #options: AnchorsOptions;
  readonly #clock: Clock;
  /** The check that is running or scheduled. */
  #check: Promise<void> | null = null;
  #checkedAtMs = -Infinity;
  #previousCheckMs = -Infinity;
  #isLost = false;
  #isLinkResponsive = false;
  /** The uplink may have been lost until then, monotonic. */
  #lostUntilMs = -Infinity;
  #retryTimer: Timer | null = null;

  constructor(options: AnchorsOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /**
   * Whether this probe has lost its uplink, or may have lost it at some time since `sinceMs` (monotonic),
   * when the failed check started. Never rejects; resolves within three seconds.
   */
  async isCutOff(sinceMs: number): Promise<boolean> {
    const isExcused = (): boolean => this.#isLost || this.#lostUntilMs >= sinceMs;
    if (!isExcused()) await (this.#check ??= this.#checkThrottled());
    return isExcused();
  }

  stop(): void {
    this.#retryTimer?.cancel();
  }

  /** Always checks anew: the uplink may have been lost since the previous check. */
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
    // The uplink recovered some time before this check, so checks started earlier may have failed because of
    // it.
    if (isLost) this.#lostUntilMs = this.#clock.monotonic();
    else if (this.#isLost) this.#lostUntilMs = this.#checkedAtMs;
    this.#isLost = isLost;
    this.#retryTimer = isLost
      ? this.#clock.setTimer(LOST_CHECK_INTERVAL_MS, () => void this.#checkNow())
      : null;
  }

  async #isUplinkLost(): Promise<boolean> {
    const { named, installation, isLinkResponsive } = this.#options;
    if (named.length > 0) {
      return isLost('named', await Promise.all(named.map((endpoint) => this.#reach(endpoint))));
    }
    const link = isLinkResponsive(REACH_TIMEOUT_MS);
    const timeout = sleep(this.#clock, LINK_TIMEOUT_MS).then(() => false);
    this.#isLinkResponsive = await Promise.race([link, timeout]);
    if (this.#isLinkResponsive) return false;
    const isLocal = localAddressMatcher();
    const reaches = installation.map((endpoint) => this.#reach(endpoint, isLocal));
    reaches.push(link.then((isResponsive) => (isResponsive ? 'responds' : 'unknown')));
    return new Promise((resolve) => {
      // The first responding endpoint decides, so that the check's outcome need not wait for silent ones.
      for (const reach of reaches) void reach.then((found) => found === 'responds' && resolve(false));
      void Promise.all(reaches).then((all) => resolve(isLost('installation', all)));
    });
  }

  /** `isLocal` identifies addresses that say nothing about the network. */
  #reach(endpoint: Anchor, isLocal: (address: string) => boolean = () => false): Promise<Reach> {
    return new Promise((resolve) => {
      const ended = new AbortController();
      const end = (reach: Reach): void => {
        timer.cancel();
        ended.abort();
        resolve(reach);
      };
      const timer = this.#clock.setTimer(REACH_TIMEOUT_MS, () => end('silent'));
      const { proxy } = endpoint;
      if (proxy) {
        void openTunnel(proxy, endpoint, ended.signal).then((socket) => {
          socket.destroy();
          end('responds');
        }, () => end('silent'));
        return;
      }
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

/** The endpoints in NATS URLs (separated by commas) or a controller URL; ignores invalid URLs. */
export function endpointsIn(urls: string, proxies: ProxyVariables): Anchor[] {
  return urls.split(',').flatMap((text) => parsedUrl(text.trim()) ?? []).map((url) => {
    const proxy = proxyFor(url, proxies);
    return proxy === null ? endpointOf(url) : { ...endpointOf(url), proxy };
  });
}

/** Rejects if no connection opens or `signal` is aborted first. */
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

/** Matches the current addresses of this machine. */
function localAddressMatcher(): (address: string) => boolean {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const own = new Set(all.map(({ address }) => address));
  return (address) => classifyAddress(address) === 'loopback' || own.has(address);
}
