import type { ResponseEvidence, EvidenceMessage } from '../../shared/contracts/evidence.ts';
import { BARE_FACTS } from './tls-facts.ts';

/** What a successful HTTPS check at `at` (Unix ms) saw. */
export function goodResponse(at: number): ResponseEvidence {
  return {
    checked_at: at, remote_address: '192.0.2.7', addresses: ['192.0.2.7', '2001:db8::7'],
    status_line: 'HTTP/1.1 200 OK', headers: [{ name: 'content-type', value: 'text/html' }],
    body_excerpt: '<h1>Shop</h1>',
    certificate: {
      valid: true, expires_at: at + 86_400_000, issuer: 'CN=CA', subject: 'CN=shop.example', fingerprint256: 'AA',
      protocol: 'TLSv1.3', ...BARE_FACTS,
    },
    timings: { dns: 1, connect: 2, tls: 3, first_byte: 4.5, transfer: 0.5 },
  };
}

/** Evidence of a check at `at` (Unix ms) that got a 503. */
export function evidenceMessage(
  monitorId: string, at: number, change: Partial<EvidenceMessage> = {},
): EvidenceMessage {
  return {
    v: 1, monitor_id: monitorId, assignment_rev: 1,
    error: { type: 'status_code', layer: 'response', message: 'Expected 200, got 503' },
    ...goodResponse(at), status_line: 'HTTP/1.1 503 Service Unavailable',
    headers: [{ name: 'set-cookie', value: '***' }, { name: 'retry-after', value: '30' }],
    body_excerpt: 'Back soon', last_good: goodResponse(at - 60_000), ...change,
  };
}

/** Evidence without any response from the target. */
export function noResponseEvidence(monitorId: string, at: number): EvidenceMessage {
  return evidenceMessage(monitorId, at, {
    error: { type: 'connection_error', message: 'Connection refused' }, remote_address: null, addresses: [],
    status_line: null, headers: [], body_excerpt: null, certificate: null, timings: null, last_good: null,
  });
}
