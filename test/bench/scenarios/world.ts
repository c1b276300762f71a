import { makeCertificates, type TestCertificates } from './certificates.ts';
import { NameServer } from './targets/name-server.ts';
import { SecureSite } from './targets/secure-site.ts';
import { SilentPort } from './targets/silent-port.ts';
import { TcpPort } from './targets/tcp-port.ts';
import { WebSite } from './targets/web-site.ts';

/** The address returned by the second region's name servers, as with geographic DNS. */
export const ABROAD_ADDRESS = '127.0.0.2';

/** The name of a scenario's site. */
export function zoneName(scenario: string): string {
  return `${scenario}.bench.test`;
}

/** All targets of the monitors, on loopback addresses. */
export class World {
  readonly site = new WebSite();
  /** Of the first region. */
  readonly nameServers = [new NameServer('127.0.0.1'), new NameServer('127.0.0.1')] as const;
  readonly nameServerAbroad = new NameServer(ABROAD_ADDRESS);
  readonly certificates: TestCertificates = makeCertificates();
  readonly tcp = new TcpPort();
  readonly silentTcp: SilentPort;
  /** Ids; set once the probes run. */
  regions: readonly string[] = [];
  readonly #secureSites: ReadonlyMap<string, SecureSite>;

  private constructor(secureNames: readonly string[], silentListener: string) {
    this.#secureSites = new Map(secureNames.map((name) => [name, new SecureSite(this.certificates.sound)]));
    this.silentTcp = new SilentPort(silentListener);
  }

  /** `secureNames`: scenarios that need a site over TLS. `silentListener`: its bundle. */
  static async start(secureNames: readonly string[], silentListener: string): Promise<World> {
    const world = new World(secureNames, silentListener);
    await Promise.all(world.#targets.map((target) => target.listen()));
    return world;
  }

  secureSite(scenario: string): SecureSite {
    return this.#secureSites.get(scenario) as SecureSite;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.close()));
  }

  get #targets() {
    return [
      this.site, ...this.nameServers, this.nameServerAbroad, this.tcp, this.silentTcp,
      ...this.#secureSites.values(),
    ];
  }
}
