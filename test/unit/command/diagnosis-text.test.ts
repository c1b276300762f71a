import { expect, test } from 'vitest';
import { diagnosisLines, type Diagnosis } from '../../../deploy/command/diagnosis-text.ts';

const hop = (ttl: number, address: string | null, rtt_ms: number | null = null) => ({ ttl, address, rtt_ms });
const diagnosis = (part: Partial<Diagnosis>): Diagnosis => ({
  classification: 'path', summary: 'The path from paris ends at 198.51.100.9.', decided_by: [],
  diagnosed_at: Date.UTC(2026, 10, 27, 7, 40, 12), regions: [], ...part,
});
const region = (part: Partial<Diagnosis['regions'][number]>): Diagnosis['regions'][number] => ({
  region: 'paris', sees: 'down', addresses: ['203.0.113.80'], resolvers: [], path: [],
  families: { ipv4: 'down', ipv6: 'absent' }, tls: null, ...part,
});

test('a diagnosis as text: the summary, what decided, and the path from each region, those that see the target down first', () => {
  const lines = diagnosisLines(diagnosis({
    decided_by: ['No hop beyond 198.51.100.9 responds to paris.', 'osaka reaches the target.'],
    regions: [
      region({
        region: 'osaka', sees: 'up', path: [hop(1, '192.0.2.1', 0.42), hop(2, '203.0.113.80', 12.4)],
        families: { ipv4: 'up', ipv6: 'absent' },
        resolvers: [{ server: '192.0.2.53', answer: ['203.0.113.80'], error: null }],
        tls: { protocol: 'TLSv1.3', issuer: 'Example CA', valid_to: Date.UTC(2027, 0, 5, 10), problem: null },
      }),
      region({
        path: [hop(1, '10.0.0.1', 0.4), hop(2, null), hop(3, '198.51.100.9', 8.25), ...[4, 5, 6].map((ttl) => hop(ttl, null))],
        resolvers: [{ server: '10.0.0.53', answer: [], error: 'timed out' }],
      }),
    ],
  }));
  expect(lines.join('\n')).toBe(`\
Diagnosis (path, 2026-11-27 07:40 UTC): The path from paris ends at 198.51.100.9.
  - No hop beyond 198.51.100.9 responds to paris.
  - osaka reaches the target.

paris sees the target down
    1  10.0.0.1      0.4 ms
    2  no response
    3  198.51.100.9  8.3 ms
       ✕ no response beyond this point
  4-6  no response
       ✕ target 203.0.113.80
  Addresses: 203.0.113.80
  Name server 10.0.0.53: timed out
  IPv4: down, IPv6: no address

osaka sees the target up
  1  192.0.2.1  0.4 ms
     ✓ target 203.0.113.80  12 ms
  Addresses: 203.0.113.80
  Name server 192.0.2.53: 203.0.113.80
  IPv4: up, IPv6: no address
  TLS: TLSv1.3, Example CA, valid until 2027-01-05 10:00 UTC`);
});

test.each([
  [{ path: [hop(1, '203.0.113.80', 2)] }, ['  ✕ target 203.0.113.80  2.0 ms: the target responds, but its check fails']],
  [{ addresses: [] }, ['  ✕ the name has no address', '  ✕ target']],
  [{}, ['  path not traced', '  ✕ target 203.0.113.80']],
  [{ path: [hop(1, null), hop(2, null)] }, ['1-2  no response', '     ✕ unknown where the path breaks', '     ✕ target 203.0.113.80']],
])('where a path breaks: %j', (part, expected) => {
  const lines = diagnosisLines(diagnosis({ regions: [region(part)] }));
  expect(lines.slice(3, 3 + expected.length).map((line) => line.replace(/^ {2}/, ''))).toEqual(expected);
});

test('text from targets cannot control the terminal', () => {
  expect(diagnosisLines(diagnosis({ summary: 'a\u001b[2Jb' }))[0]).toContain('a [2Jb');
});
