import { isIP } from 'node:net';
import type { CheckContext } from '../check.ts';
import { BodyDecoder } from './decode-body.ts';
import { HeldBytes } from './held-bytes.ts';

const READ_BUFFER_BYTES = 65_536;
/** Limit for captured data of all ongoing responses. */
const MAX_HELD_BYTES = 16_777_216;

/** Resources shared by all HTTP checks of a probe. */
export class HttpResources {
  readonly context: CheckContext;
  readonly buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  readonly held = new HeldBytes(MAX_HELD_BYTES);
  readonly decoder = new BodyDecoder();

  constructor(context: CheckContext) {
    this.context = context;
  }
}

/** The endpoint of a URL: host without brackets, port, and whether the host is an address. */
export function endpointOf(url: URL): { host: string; port: number; isAddress: boolean } {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return {
    host, port: url.port ? Number(url.port) : url.protocol === 'https:' ? 443 : 80,
    isAddress: isIP(host) !== 0,
  };
}
