import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evidenceBytes } from '../../../../probe/evidence/evidence-bytes.ts';
import {
  evidence, MAX_EVIDENCE_BYTES, type ResponseEvidence, type EvidenceMessage,
} from '../../../../shared/contracts/evidence.ts';
import { newId } from '../../../../shared/ids.ts';

const response = (overrides: Partial<ResponseEvidence> = {}): ResponseEvidence => ({
  checked_at: 1, remote_address: '192.0.2.1', addresses: ['192.0.2.1'], status_line: 'HTTP/1.1 200 OK',
  headers: [{ name: 'Server', value: 'x' }], body_excerpt: 'body', certificate: null, timings: null, ...overrides,
});
const MONITOR = newId(1);
const message = (overrides: Partial<EvidenceMessage> = {}): EvidenceMessage => ({
  v: 1, monitor_id: MONITOR, assignment_rev: 1, error: { type: 'timeout', message: 'late' }, last_good: response(),
  ...response(), ...overrides,
});
const sent = (whole: EvidenceMessage): EvidenceMessage =>
  evidence.parse(JSON.parse((evidenceBytes(whole) as Buffer).toString()));
const headers = (count: number, length: number): ResponseEvidence['headers'] =>
  Array.from({ length: count }, (_, at) => ({ name: `X-${at}`, value: 'v'.repeat(length) }));

describe('a message', () => {
  test('that fits is sent in full', () => expect(sent(message())).toEqual(message()));

  test('loses the last good body first, and as little as necessary', () => {
    const whole = message({ body_excerpt: 'é'.repeat(2000), last_good: response({ body_excerpt: '"'.repeat(4096) }) });
    const cut = sent(whole);
    expect({ ...cut, last_good: null }).toEqual({ ...whole, last_good: null });
    expect(cut.last_good?.body_excerpt?.length).toBeGreaterThan(1500);
    expect((evidenceBytes(whole) as Buffer).length).toBeGreaterThan(MAX_EVIDENCE_BYTES - 2);
  });

  test('then the body, between two characters, and then headers from the end', () => {
    const many = sent(message({
      headers: headers(6, 1000), body_excerpt: '👍'.repeat(2048), last_good: response({ body_excerpt: 'b'.repeat(900) }),
    }));
    expect(many.headers).toHaveLength(6);
    expect(many.last_good?.body_excerpt).toBe('');
    expect(many.body_excerpt).toMatch(/^(?:👍)+$/u);
    const more = sent(message({ headers: headers(50, 1000), last_good: response({ headers: headers(50, 100) }) }));
    expect(more).toMatchObject({ body_excerpt: '', last_good: { headers: [] } });
    expect(more.headers).toEqual(headers(7, 1000));
  });

  test('is small enough whatever a target sends', () => {
    const text = (max: number) => fc.oneof(
      fc.string({ maxLength: max, unit: 'grapheme' }), fc.constantFrom('"', '\ufffd', 'é', 'a', '\n').map((unit) => unit.repeat(max)),
    ).map((each) => each.slice(0, max).replace(/[\ud800-\udfff]/g, 'x'));
    const responses = fc.record({
      checked_at: fc.nat(), remote_address: fc.ipV6(), addresses: fc.array(fc.ipV6(), { maxLength: 16 }),
      status_line: text(500), body_excerpt: text(4096), timings: fc.constant({ dns: 1 }),
      headers: fc.array(fc.record({ name: text(100), value: text(1000) }), { maxLength: 50 }),
      certificate: fc.record({
        valid: fc.boolean(), expires_at: fc.nat(), issuer: text(256), subject: text(256), fingerprint256: text(128),
        protocol: text(16), names: fc.array(text(253), { maxLength: 50 }), more_names: fc.nat(1000),
        valid_from: fc.constant(null), key: text(64), weak_signature: fc.constant(null),
        problem: fc.record({ code: text(64), message: text(1000) }),
      }),
    });
    fc.assert(fc.property(responses, responses, text(1000), (one, other, said) => {
      const bytes = evidenceBytes(message({ ...one, last_good: other, error: { type: 'timeout', message: said } }));
      if (bytes === null) return;
      expect(bytes.length).toBeLessThanOrEqual(MAX_EVIDENCE_BYTES);
      evidence.parse(JSON.parse(bytes.toString()));
    }), { numRuns: 100 });
  });
});
