import type { ControllerConfig } from '../config.ts';
import type { HttpServer } from '../http/server/server.ts';

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
