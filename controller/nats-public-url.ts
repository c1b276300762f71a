import type { HostAndPort } from '../shared/setting.ts';

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/**
 * The NATS address for probes elsewhere: the port of NATS_LISTEN at its host or, when it listens on every
 * address, at the host of BASE_URL. Null when nothing says where a probe could reach it.
 */
export function deriveNatsPublicUrl(
  listen: HostAndPort | undefined,
  baseUrl: string | undefined,
  isTls: boolean,
): string | null {
  if (!listen) return null;
  const scheme = isTls ? 'tls' : 'nats';
  if (!EVERY_ADDRESS.includes(listen.host)) return `${scheme}://${bracketed(listen.host)}:${listen.port}`;
  return baseUrl ? `${scheme}://${new URL(baseUrl).hostname}:${listen.port}` : null;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
