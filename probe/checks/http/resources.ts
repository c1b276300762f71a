import { isIP } from 'node:net';
import type { CheckContext } from '../check.ts';
import { BodyDecoder } from './decode-body.ts';
import { HeldBytes } from './held-bytes.ts';

const READ_BUFFER_BYTES = 65_536;
/** What all checks keep of answers that are still coming. */
const MAX_HELD_BYTES = 16_777_216;

/** What all HTTP checks of a probe have in common. */
export class HttpResources {
  readonly context: CheckContext;
  readonly buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  readonly held = new HeldBytes(MAX_HELD_BYTES);
  readonly decoder = new BodyDecoder();

  constructor(context: CheckContext) {
    this.context = context;
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
