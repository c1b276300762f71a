import type { OutboundReader } from '../platform/outbound/reader-port.ts';
import type { Lookup } from './domain.ts';

const LIMIT_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

export interface WhoisDeps {
  reader: Pick<OutboundReader, 'query'>;
  roots: { whoisPort: number };
  /** False if the server was queried within the last second. */
  takeTurn(server: string): Promise<boolean>;
}

type WhoisQueryResult = { kind: 'responded'; text: string } | Extract<Lookup, { kind: 'busy' | 'failed' }>;

/** Queries a WHOIS server (RFC 3912) about a domain, at most once a second per server. */
export async function queryWhois(
  { reader, roots, takeTurn }: WhoisDeps, host: string, name: string,
): Promise<WhoisQueryResult> {
  if (!(await takeTurn(host))) return { kind: 'busy', server: host };
  const response = await reader.query({
    host, port: roots.whoisPort, line: name, limitBytes: LIMIT_BYTES, timeoutMs: TIMEOUT_MS,
  });
  if (response.kind === 'responded') return { kind: 'responded', text: response.body.toString('utf8') };
  return { kind: 'failed', message: `${host}: ${response.reason}` };
}
