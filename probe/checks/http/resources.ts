import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { CheckContext } from '../check.ts';

const READ_BUFFER_BYTES = 65_536;

/** What all HTTP checks of a probe have in common. */
export class HttpResources {
  readonly context: CheckContext;
  readonly buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  #secureContext: SecureContext | null = null;

  constructor(context: CheckContext) {
    this.context = context;
  }

  /** Made on first use: reading the trusted roots takes some 20 ms. */
  get secureContext(): SecureContext {
    const { trustedRoots } = this.context;
    return (this.#secureContext ??= createSecureContext(trustedRoots ? { ca: trustedRoots } : {}));
  }
}

/** Where a URL leads: host without brackets, its port, and whether the host is an address already. */
export function endpointOf(url: URL): { host: string; port: number; isAddress: boolean } {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return {
    host, port: url.port ? Number(url.port) : url.protocol === 'https:' ? 443 : 80,
    isAddress: isIP(host) !== 0,
  };
}
