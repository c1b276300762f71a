import { makeCertificates, trusted } from '../scenarios/certificates.ts';
import { noResponse, status } from '../scenarios/targets/http-faults.ts';
import { NameServer } from '../scenarios/targets/name-server.ts';
import { SecureSite } from '../scenarios/targets/secure-site.ts';
import { WebSite, type Responder } from '../scenarios/targets/web-site.ts';

/** `silent`: the connection is accepted but gets no response, so only the timeout reveals it. */
export const FAULT_KINDS = ['503', 'reset', 'silent', 'certificate', 'nxdomain'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultTarget {
  name: string;
  kind: FaultKind;
  url: string;
  /** Every check fails after this call. */
  break(): void;
}

const RESPONDERS: Partial<Record<FaultKind, Responder>> = {
  503: status(503), silent: noResponse, reset: (_request, response) => response.socket?.resetAndDestroy(),
};

/** Healthy targets on loopback, equally many of each kind, which can be broken individually. */
export class FaultTargets {
  readonly #site = new WebSite();
  readonly #names = new NameServer('127.0.0.1');
  readonly #certificates = makeCertificates();
  readonly #secure: SecureSite[] = [];

  /** The kinds of targets alternate. */
  async listen(count: number): Promise<FaultTarget[]> {
    await Promise.all([this.#site.listen(), this.#names.listen()]);
    return Promise.all(Array.from({ length: count }, (_, index) => this.#make(index)));
  }

  /** `address:port`. */
  get nameServer(): string {
    return this.#names.endpoint;
  }

  /** Authorities of the valid certificates, PEM. */
  get roots(): string {
    return trusted(this.#certificates);
  }

  async close(): Promise<void> {
    await Promise.all([this.#site, this.#names, ...this.#secure].map((one) => one.close()));
  }

  async #make(index: number): Promise<FaultTarget> {
    const kind = FAULT_KINDS[index % FAULT_KINDS.length] as FaultKind;
    const name = `fault-${index}`;
    if (kind === 'certificate') {
      const site = await new SecureSite(this.#certificates.sound).listen();
      this.#secure.push(site);
      return { name, kind, url: site.url, break: () => site.show(this.#certificates.expired) };
    }
    if (kind === 'nxdomain') {
      const host = `${name}.bench.test`;
      return { name, kind, url: this.#site.url(name, host), break: () => this.#names.set(host, 'nxdomain') };
    }
    const responder = RESPONDERS[kind] as Responder;
    return { name, kind, url: this.#site.url(name), break: () => this.#site.set(name, responder) };
  }
}
