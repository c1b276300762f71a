import { describe, expect, test } from 'vitest';
import { success, type Finding } from '../../../../probe/checks/check.ts';
import { LastGood } from '../../../../probe/evidence/last-good.ts';
import { resultOf } from '../../../../probe/runner/result.ts';
import type { TlsFacts } from '../../../../shared/contracts/result.ts';
import { buildAssignment } from '../build.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';

const MINUTE = 60_000;
const facts = (issuer: string): TlsFacts => ({
  ...BARE_FACTS, valid: true, expires_at: 1, issuer, subject: 's', fingerprint256: 'f', protocol: 'TLSv1.3',
  names: Array.from({ length: 12 }, (_, at) => `n${at}`),
});
const found = (head: string | null, body: string | null, tls: Finding['tls'] = null): Finding =>
  success({ observed: { addresses: ['192.0.2.1'], head, body }, tls });

function record(store: LastGood, id: string, finding: Finding, atMs = 0): void {
  const made = { scheduledAtMs: atMs, startedAtMs: atMs, attempt: 1, reason: 'schedule' as const };
  store.record(resultOf(buildAssignment({ monitor_id: id }), made, finding), finding, false);
}

describe('last good checks', () => {
  test('are returned unchanged, with text of any bytes or none', () => {
    const store = new LastGood(() => 3);
    record(store, 'a', found('HTTP/1.1 200 OK\r\n\r\n', '\0ÿ'));
    record(store, 'b', found(null, '220 hi'));
    record(store, 'c', found(null, null));
    expect(store.of('a')).toMatchObject({ head: 'HTTP/1.1 200 OK\r\n\r\n', body: '\0ÿ', addresses: ['192.0.2.1'] });
    expect(store.of('b')).toMatchObject({ head: null, body: '220 hi' });
    expect(store.of('c')).toMatchObject({ head: null, body: null });
    expect(store.of('d')).toBeNull();
    record(store, 'a', found('HTTP/1.1 204 No Content\r\n\r\n', 'x'.repeat(300)), MINUTE);
    expect(store.of('a')).toMatchObject({ checkedAt: MINUTE, body: 'x'.repeat(300) });
  });

  test('take 3 kB each, and less the more monitors there are', () => {
    let monitors = 10;
    const store = new LastGood(() => monitors);
    record(store, 'a', found('h'.repeat(2000), 'b'.repeat(4096)));
    expect([store.of('a')?.head?.length, store.of('a')?.body?.length]).toEqual([2000, 1072]);
    monitors = 10_000;
    for (let at = 0; at < monitors; at += 1) record(store, `m${at}`, found('h'.repeat(200), 'b'.repeat(4096)));
    expect(store.bytes).toBeLessThanOrEqual(8_388_608);
    expect(store.of('m9000')?.body?.length).toBeGreaterThan(600);
    record(store, 'a', found('h'.repeat(200), 'b'.repeat(4096)), MINUTE);
    expect(store.of('a')?.body?.length).toBeLessThan(700);
  });

  test('release all their memory', () => {
    const store = new LastGood(() => 1);
    record(store, 'a', found('head', 'body', { hash: 1, facts: () => facts('one') }));
    expect(store.bytes).toBeGreaterThan(100);
    store.forget('a');
    store.forget('a');
    expect(store.bytes).toBe(0);
  });

  test('read a certificate only when it has changed, and store ten of its names', () => {
    const store = new LastGood(() => 1);
    const reads: string[] = [];
    const peer = (hash: number, issuer: string): Finding['tls'] => ({
      hash, facts: () => {
        reads.push(issuer);
        return facts(issuer);
      },
    });
    record(store, 'a', found('head', '', peer(1, 'one')));
    record(store, 'a', found('head', '', peer(1, 'one')), MINUTE);
    record(store, 'a', found('head', '', peer(2, 'two')), 2 * MINUTE);
    expect(reads).toEqual(['one', 'two']);
    expect(store.of('a')?.certificate).toMatchObject({ issuer: 'two', more_names: 2 });
    expect(store.of('a')?.certificate?.names).toHaveLength(10);
    record(store, 'a', found('head', ''), 3 * MINUTE);
    expect(store.of('a')?.certificate).toBeNull();
  });

  test('of more monitors than fit are stored as far as possible', () => {
    const store = new LastGood(() => 1);
    for (let at = 0; at < 4000; at += 1) record(store, `m${at}`, found('h'.repeat(3072), ''));
    expect(store.bytes).toBeLessThanOrEqual(8_388_608);
    expect(store.of('m0')?.head).toHaveLength(3072);
    expect(store.of('m3999')?.head).toBeNull();
  });
});
