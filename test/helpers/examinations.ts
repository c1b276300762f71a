import type { Examination } from '../../shared/contracts/examination.ts';
import type { CheckError } from '../../shared/contracts/result.ts';
import type { Connection, Observation } from '../../controller/diagnosis/observation-rules.ts';

export const NOW = Date.UTC(2026, 5, 1, 12);
export const [TARGET, TARGET6] = ['203.0.113.7', '2001:db8:7::7'];
/** In the target's own network. */
export const GATEWAY = '203.0.113.1';
/** On the way to it. */
export const [FIRST, SECOND, EDGE] = ['192.0.2.1', '198.51.100.7', '198.51.100.99'];

export const REFUSED: CheckError = { type: 'connection_error', layer: 'connect', message: 'Connection refused' };
export const TIMEOUT: CheckError = { type: 'timeout', layer: 'connect', message: 'No connection within 2 s' };
export const NO_NAME: CheckError = { type: 'dns_error', layer: 'dns', message: 'The name does not exist' };
export const BAD_TLS: CheckError = { type: 'ssl_error', layer: 'tls', message: 'The certificate has expired' };
export const STALLED: CheckError = { type: 'timeout', layer: 'tls', message: 'No TLS handshake within 2 s' };
export const STATUS: CheckError = { type: 'status_code', layer: 'response', message: 'Expected 200, got 503' };

type Path = Examination['path'];

/** The path through these routers; null is a silent one. */
export function path(routers: (string | null)[], change: Partial<Path> = {}): Path {
  const hops = routers.map((address, at) => ({ ttl: at + 1, address, rtt_ms: address === null ? null : 1 }));
  return { method: 'tcp', note: null, target: TARGET, hops, is_complete: false, large_packets: 'unknown', ...change };
}

export const whole = (change: Partial<Path> = {}): Path =>
  path([FIRST, EDGE, change.target ?? TARGET], { is_complete: true, large_packets: 'arrive', ...change });

export function connection(state: Connection['state'], address = TARGET, tls: Connection['tls'] = null): Connection {
  return { address, state, tls };
}

export function certificate(change: Partial<NonNullable<Connection['tls']>> = {}): Connection['tls'] {
  return {
    protocol: 'TLSv1.3', issuer: 'CA', valid_to: NOW + 1e9, fingerprint256: 'good', problem: null, ...change,
  };
}

export function seen(label: string, change: Partial<Examination> = {}): Observation {
  return {
    label, region: label.toLowerCase(), probe_id: `probe-${label}`, network: `AS of ${label}`,
    examination: {
      monitor_id: 'm', examined_at: NOW, sees: 'up', error: null, addresses: [TARGET],
      resolvers: [{ server: '192.0.2.53', answer: [TARGET], error: null }],
      path: whole(), connections: [connection('open')], has_network: true, ...change,
    },
  };
}

export function failing(label: string, error: CheckError, change: Partial<Examination> = {}): Observation {
  return seen(label, { sees: 'down', error, ...change });
}

/** Nothing connects, and the path ends after these routers. */
export function silent(label: string, routers: (string | null)[], address = TARGET): Observation {
  return failing(label, TIMEOUT, {
    addresses: [address], resolvers: [{ server: '192.0.2.53', answer: [address], error: null }],
    connections: [connection('timeout', address)], path: path(routers, { target: address }),
  });
}
