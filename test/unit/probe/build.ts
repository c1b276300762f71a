import type { Assignment } from '../../../shared/contracts/assignment.ts';
import type { HttpSpec, KnownSpec, TcpSpec } from '../../../shared/contracts/check-spec.ts';
import { newId } from '../../../shared/ids.ts';

export function buildHttpSpec(overrides: Partial<HttpSpec> = {}): HttpSpec {
  return {
    type: 'HTTP', url: 'http://127.0.0.1/', method: 'GET', headers: {}, body: null, follow_redirects: true,
    max_redirects: 5,
    verify_ssl: true, expected_status: [], slow_response_threshold_ms: null, ...overrides,
  };
}

export function buildTcpSpec(overrides: Partial<TcpSpec> = {}): TcpSpec {
  return {
    type: 'TCP', host: '127.0.0.1', port: 1, protocol: 'generic', protocol_validation: true, tls: 'none',
    send: null, expect: null, ...overrides,
  };
}

export function buildPingSpec(host: string): Extract<KnownSpec, { type: 'ICMP' }> {
  return { type: 'ICMP', host, packet_count: 2, packet_size: 56, packet_timeout_ms: 800, ttl: 64 };
}

export function buildAssignment(overrides: Partial<Assignment> = {}): Assignment {
  return {
    monitor_id: newId(1_760_000_000_000), organization_id: newId(1), project_id: newId(2), assignment_rev: 1,
    interval_ms: 10_000, timeout_ms: 10_000, phase_ms: 0, retries: 1, allow_private: true, spec: buildHttpSpec(), ...overrides,
  };
}
