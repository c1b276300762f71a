import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { readBusCredentials } from '../../../../shared/bus-credentials.ts';
import { closeNats, connectNats, natsUrls } from '../../../../shared/nats-connection.ts';
import { within, type Clock } from '../../../../shared/time.ts';
import { respondsAsNats } from '../../../quickstart/servers/nats-server.ts';
import { localAddress } from '../../../quickstart/servers/ports.ts';
import type { QuickstartSettings } from '../../../quickstart/settings.ts';
import type { HostLookups } from './host-lookups.ts';
import { endpointOf } from '../../../../shared/net-guard.ts';

const CONNECT_TIMEOUT_MS = 8000;
const RECONNECT_MS = 1000;

interface Deps {
  settings: QuickstartSettings | null;
  dataDir: string;
  hosts: HostLookups;
  clock: Clock;
}

export interface NatsServerContact {
  /** `host:port`, without credentials. */
  address: string;
  /** Null if it could not be connected to; then `error` says why. */
  connection: NatsConnection | null;
  error: Error | null;
}

/** The installation's NATS servers, each connected to once for all checks, as a controller. */
export class NatsAccess {
  readonly #deps: Deps;
  #contacts: Promise<NatsServerContact[]> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether NATS_URL names servers; otherwise `farwatch start` runs one. */
  get isOwn(): boolean {
    return this.#deps.settings?.hasNats === true;
  }

  /** One for each server; empty if the server runs only with `farwatch start`, which is stopped. */
  contacts(): Promise<NatsServerContact[]> {
    return this.#contacts ??= this.#connectAll();
  }

  async close(): Promise<void> {
    for (const { connection } of await (this.#contacts ?? [])) {
      if (connection !== null) await closeNats(connection, true, this.#deps.clock);
    }
  }

  async #connectAll(): Promise<NatsServerContact[]> {
    const { settings } = this.#deps;
    if (settings === null) return [];
    const { url, credsFile } = settings.controller.nats;
    if (settings.hasNats) return Promise.all(natsUrls(url).map((one) => this.#connect(one, credsFile)));
    const local = await this.#startedServer(settings);
    return local === null ? [] : [await this.#connect(new URL(local.url), local.credsFile)];
  }

  async #startedServer({ controller: { nats } }: QuickstartSettings) {
    const dir = join(this.#deps.dataDir, 'nats');
    const port = existsSync(join(dir, 'port')) ? Number(readFileSync(join(dir, 'port'), 'utf8')) : 0;
    const address = nats.listen ?? { host: '127.0.0.1', port };
    const credsFile = join(dir, 'controller.nk');
    if (address.port === 0 || !existsSync(credsFile) || !(await respondsAsNats(address))) return null;
    return { url: `nats://${localAddress(address)}`, credsFile };
  }

  async #connect(url: URL, credsFile: string | null): Promise<NatsServerContact> {
    const { hosts, clock } = this.#deps;
    const address = `${url.hostname}:${url.port || 4222}`;
    try {
      if (await hosts.failureOf(endpointOf(url).host) !== null) throw new Error(`${url.hostname} cannot be looked up`);
      const connecting = connectNats({
        ...readBusCredentials(url.href, credsFile), url: url.href, name: 'farwatch-doctor',
        reconnectDelayMs: () => RECONNECT_MS,
      });
      const connection = await within(clock, CONNECT_TIMEOUT_MS, connecting);
      if (connection === null) {
        void connecting.then((late) => late.close()).catch(() => undefined);
        throw new Error(`no response within ${CONNECT_TIMEOUT_MS / 1000} s`);
      }
      return { address, connection, error: null };
    } catch (error) {
      return { address, connection: null, error: error as Error };
    }
  }
}
