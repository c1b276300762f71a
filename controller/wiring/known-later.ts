import type { ControllerConfig } from '../config.ts';
import type { HttpServer } from '../http/server/server.ts';

/** An event inside this process. Listeners run at once, in the order in which they were added. */
export class Signal {
  readonly #listeners: (() => void)[] = [];

  on(listener: () => void): void {
    this.#listeners.push(listener);
  }

  readonly emit = (): void => {
    for (const listener of this.#listeners) listener();
  };
}

export type Signals = ReturnType<typeof createSignals>;

/** What services tell each other, so that none needs the other to be open first. */
export function createSignals() {
  return {
    /** Configurations of monitors changed, by a maintenance window or by the expiry of a domain. */
    monitorConfigsChanged: new Signal(),
    /** An incident opened, changed or ended. */
    incidentsChanged: new Signal(),
    /** An alert was held, or shards with held alerts may have been acquired. */
    alertsHeld: new Signal(),
    /** A status page has a new post, or an update of one, for its subscribers. */
    postPublished: new Signal(),
  };
}

/** Which shards this controller serves: none before its results service is open. */
export class OwnedShards {
  #owner: { ownsShard(shard: number): boolean } | null = null;

  readonly has = (shard: number): boolean => this.#owner?.ownsShard(shard) ?? false;

  /** From now on `owner` decides. */
  follow(owner: { ownsShard(shard: number): boolean }): void {
    this.#owner = owner;
  }
}

type HttpSettings = Pick<ControllerConfig['http'], 'baseUrl' | 'host' | 'port' | 'metrics'>;

/** The server of the API, and that of the metrics where they have an address of their own. */
export class HttpServers {
  readonly #settings: HttpSettings;
  readonly #servers: HttpServer[] = [];
  #url = '';

  constructor(settings: HttpSettings) {
    this.#settings = settings;
  }

  /** What links begin with; empty before `listen`. */
  readonly baseUrl = (): string => this.#url;

  /** Resolves to the address that links begin with. */
  async listen(api: HttpServer, metricsServer: HttpServer | null): Promise<string> {
    const { host, port, metrics } = this.#settings;
    this.#servers.push(api);
    if (metrics.listen !== null && metricsServer !== null) {
      this.#servers.push(metricsServer);
      await metricsServer.listen(metrics.listen.port, metrics.listen.host);
    }
    this.#url = addressOf(this.#settings, await api.listen(port, host));
    return this.#url;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** What links begin with, without a slash at its end. */
export function addressOf({ baseUrl, host }: Pick<HttpSettings, 'baseUrl' | 'host'>, port: number): string {
  return baseUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}
