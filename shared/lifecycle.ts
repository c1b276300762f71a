import type { Log } from './log.ts';
import { within, type Clock } from './time.ts';

export interface Service {
  start?(): void | Promise<void>;
  stop(): unknown;
}

/** Longest that the services of one group may take to stop, unless the group says otherwise, ms. */
const STOP_TIMEOUT_MS = 3000;

/** Starts services in the order in which they were added, and stops their groups in reverse. */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #groups: { services: Map<string, Service>; stopTimeoutMs: number }[] = [];

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Adds services that may stop at the same time; those of earlier groups stop after them. */
  add(services: Record<string, Service | null>, stopTimeoutMs = STOP_TIMEOUT_MS): this {
    const present = Object.entries(services).filter((entry): entry is [string, Service] => entry[1] !== null);
    this.#groups.push({ services: new Map(present), stopTimeoutMs });
    return this;
  }

  /** Whether it or a lifecycle in it starts and stops the service. */
  has(service: unknown): boolean {
    const all = this.#groups.flatMap(({ services }) => [...services.values()]);
    return all.some((one) => one === service || (one instanceof Lifecycle && one.has(service)));
  }

  async start(): Promise<void> {
    for (const { services } of this.#groups) {
      for (const service of services.values()) await service.start?.();
    }
  }

  /** Never rejects: a service that fails or takes too long is logged, and the others still stop. */
  async stop(): Promise<void> {
    for (const { services, stopTimeoutMs } of this.#groups.toReversed()) {
      await Promise.all([...services].map(([name, service]) => this.#stop(name, service, stopTimeoutMs)));
    }
  }

  async #stop(name: string, service: Service, timeoutMs: number): Promise<void> {
    try {
      const stopped = Promise.resolve(service.stop()).then(() => 'stopped');
      if ((await within(this.#clock, timeoutMs, stopped)) === null) {
        this.#log.warn({ service: name, timeout_ms: timeoutMs }, 'a service did not stop in time');
      }
    } catch (error) {
      this.#log.error({ err: error, service: name }, 'a service failed to stop');
    }
  }
}
