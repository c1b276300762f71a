import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWhois, readWhoisServer } from '../../../controller/domains/whois-response.ts';
import '../../helpers/property-seed.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/whois');
const fixture = (name: string): string => readFileSync(join(FIXTURES, `${name}.txt`), 'utf8');

describe('a WHOIS response', () => {
  test.each([
    ['com', '2026-08-13T04:00:00.000Z', 'Example Registrar, Inc.'],
    ['registrar', '2026-08-13T02:00:00.000Z', 'Example Registrar, Inc.'],
    ['uk', '2026-08-13T00:00:00.000Z', 'Example Ltd t/a Example [Tag = EXAMPLE]'],
    ['ru', '2026-09-30T21:00:00.000Z', 'EXAMPLE-RU'],
    ['it', '2026-08-13T00:00:00.000Z', 'Registrar S.r.l.'],
    ['pl', '2026-08-13T13:00:00.000Z', 'Example Sp. z o.o.'],
    ['jp', '2026-08-31T00:00:00.000Z', null],
    ['fi', '2026-08-31T00:00:00.000Z', 'Example Oy'],
    ['tr', '2026-08-22T00:00:00.000Z', 'Example Bilişim A.Ş.'],
    ['br', '2026-05-18T00:00:00.000Z', null],
    ['cn', '2026-03-17T12:48:36.000Z', '示例注册商'],
    ['kr', '2026-10-16T00:00:00.000Z', 'Example Co.(http://registrar.example)'],
    ['us-words', '2026-08-13T00:00:00.000Z', 'Example & Söhne'],
  ])('in the format of %s provides expiry and registrar', (name, expiresAt, registrar) => {
    const { registration } = readWhois(fixture(name));
    expect(registration).toEqual({ expires_at: Date.parse(expiresAt), registrar });
  });

  test('with CRLF line endings reads the same', () => {
    const text = fixture('uk');
    expect(readWhois(text.replaceAll('\n', '\r\n'))).toEqual(readWhois(text));
  });

  test('without an expiry has null', () => {
    expect(readWhois(fixture('de'))).toEqual({
      registration: { expires_at: null, registrar: null }, referral: null,
    });
  });

  test('can report that a domain is not registered', () => {
    expect(readWhois(fixture('free')).registration).toBeNull();
    expect(readWhois('Domain not found.\r\n').registration).toBeNull();
  });

  test('provides the registrar\'s server if that is a valid host name', () => {
    expect(readWhois(fixture('com')).referral).toBe('whois.registrar.example');
    expect(readWhois('Registrar WHOIS Server: http://a/b?c').referral).toBeNull();
    expect(readWhois(`Registrar WHOIS Server: ${'a'.repeat(300)}`).referral).toBeNull();
  });

  test('prefers the registry\'s date to the registrar\'s', () => {
    const both = 'Registrar Registration Expiration Date: 2020-01-01\nRegistry Expiry Date: 2027-01-01\n';
    expect(readWhois(both).registration?.expires_at).toBe(Date.parse('2027-01-01'));
  });

  test('without known fields is unreadable', () => {
    expect(readWhois('\0\x01\x02').registration).toBeUndefined();
    expect(readWhois('').registration).toBeUndefined();
  });

  test('reduces a long name to one short line', () => {
    const { registration } = readWhois(`Registrar: a\u0007\u202e\tb${'x'.repeat(5000)}`);
    expect(registration?.registrar).toMatch(/^a bx{195,198}$/);
  });
});

describe('an IANA response', () => {
  test('provides the WHOIS server of a top-level domain, or that there is none', () => {
    expect(readWhoisServer('domain:       XY\n\nwhois:        whois.nic.xy\n')).toBe('whois.nic.xy');
    expect(readWhoisServer('refer: whois.nic.xy\n\ndomain: XY')).toBe('whois.nic.xy');
    expect(readWhoisServer('domain:       XY\nstatus: ACTIVE\n')).toBeNull();
    expect(readWhoisServer('Too many requests')).toBeUndefined();
  });
});

describe('hostile responses', () => {
  const samples = readdirSync(FIXTURES).map((name) => fixture(name.replace(/\.txt$/, '')));
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(...samples.flatMap((text) => text.split('\n'))),
    fc.tuple(fc.constantFrom('expires: ', '[Expires on] ', 'Expiry date:', 'registrar:'), fc.string()),
  );

  test('never throw and yield short values', () => {
    fc.assert(fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom('\n', '\r\n', ''), (lines, end) => {
      const { registration, referral } = readWhois(lines.join(end));
      const { expires_at: at = null, registrar = null } = registration ?? {};
      expect(at === null || (at > Date.UTC(1984) && at < Date.UTC(2202))).toBe(true);
      expect(registrar?.length ?? 0).toBeLessThanOrEqual(200);
      expect(referral?.length ?? 0).toBeLessThanOrEqual(253);
    }), { numRuns: fewOrAll(300, 2000) });
  });

  test.each([
    ' '.repeat(64_000), ':'.repeat(64_000), '.'.repeat(64_000), '\n'.repeat(64_000), 'a.'.repeat(32_000),
    `expires${'.'.repeat(64_000)}:`, `expires: ${'1 '.repeat(32_000)}`, `expires: ${'9'.repeat(64_000)}`,
    `registrar whois server: ${'a-'.repeat(32_000)}!`, 'expires:\n'.repeat(7000), `[${' '.repeat(64_000)}]`,
  ])('with repetitions are read to the end', (text) => {
    expect(readWhois(text).registration?.expires_at ?? null).toBeNull();
  });
});
