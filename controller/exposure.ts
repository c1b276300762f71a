import { isLoopback } from '../shared/net-guard.ts';
import type { ControllerConfig } from './config.ts';

/** What the settings let others on the network read along, for the operator: one sentence per listener. */
export function exposureWarnings({ http, nats }: Pick<ControllerConfig, 'http' | 'nats'>): string[] {
  const warnings: string[] = [];
  const plain = plainHttp(http);
  if (plain !== null) {
    warnings.push(
      `${plain} makes the API reachable over plain HTTP: others on the network can read passwords, sessions, `
        + 'API keys and enrolment tokens. Put a reverse proxy with TLS in front, and set BASE_URL to its '
        + 'https:// address and TRUST_PROXY to the number of proxies.',
    );
  }
  if (nats.listen !== null && nats.tls === null && !isLoopback(nats.listen.host)) {
    warnings.push(
      `NATS_LISTEN=${bracketed(nats.listen.host)}:${nats.listen.port} accepts probes from other machines without TLS: `
        + 'others on the network can read and change results. Set NATS_TLS_CERT and NATS_TLS_KEY.',
    );
  }
  return warnings;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The setting that says so; null if a proxy or this machine keeps plain HTTP to itself. */
function plainHttp({ host, baseUrl, trustProxy }: ControllerConfig['http']): string | null {
  const url = baseUrl === null ? null : new URL(baseUrl);
  if (url?.protocol === 'http:' && !isLoopback(url.hostname)) return `BASE_URL=${url.origin}`;
  return trustProxy > 0 || url?.protocol === 'https:' || isLoopback(host) ? null : `HOST=${host}`;
}
