import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as PublishedDate from '../../../controller/domains/registry-date.ts';
import type * as RdapResponseModule from '../../../controller/domains/rdap-response.ts';
import type { RegistrationResult } from '../../../controller/domains/domain.ts';
import type * as WhoisResponseModule from '../../../controller/domains/whois-response.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

/** In the checkout, where npm runs; the bundled fuzzer is elsewhere. */
const WHOIS = resolve('test/fixtures/whois');
const [EARLIEST, LATEST] = [Date.UTC(1984, 11, 31), Date.UTC(2201, 0, 2)];
const HOST = /^[a-z0-9][a-z0-9.-]{0,251}[a-z0-9]$/;

function checkRegistration(read: RegistrationResult): void {
  if (!read) return;
  const { expires_at: expiresAt, registrar } = read;
  assert.ok(expiresAt === null || (expiresAt > EARLIEST && expiresAt < LATEST));
  assert.ok(registrar === null || (registrar.length > 0 && registrar.length <= 200));
  assert.doesNotMatch(registrar ?? '', /[\p{Cc}\p{Cs}\u2028\u2029]/u);
}

/** A date is between 1985 and 2200; an ISO 8601 date equals that of `Date`. */
export const publishedDate = fuzzedParser<typeof PublishedDate>({
  name: 'published-date', entry: 'controller/domains/registry-date.ts',
  seeds: [
    '2026-08-13T04:00:00Z', '2026-08-13T04:00:00.0+02:00', '2026.08.13 23:59:60', '13-Aug-2026', '13.08.2026', '20260813',
    'Thu Aug 13 04:00:00 2026', 'August 13 2026', '2026/08/13 (UTC+9)', '1985-01-01T00:00:00+14:00', '2200-12-31T23:59:60-14:00',
  ],
  feed: ({ parseRegistryDate: dateOf }, bytes) => {
    const text = bytes.toString('latin1');
    const at = dateOf(text);
    assert.ok(at === null || (Number.isInteger(at) && at > EARLIEST && at < LATEST));
    const [year = 0] = /^\d{4}(?=-\d\d-\d\dT\d\d:\d\d:\d\dZ$)/.exec(text) ?? [];
    if (Number(year) < 1985 || Number(year) > 2200 || Number.isNaN(Date.parse(text))) return;
    const expected = new Date(text).toISOString();
    // `Date` accepts day 31 in every month as a day of the next, and hour 24 as the next day.
    if (expected.startsWith(text.slice(0, 13))) assert.equal(at, Date.parse(text));
  },
});

const CARD = '"vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Example, Inc."]]]';

/** Dates and names come from a domain object, and are short. */
export const rdapResponse = fuzzedParser<typeof RdapResponseModule>({
  name: 'rdap-response', entry: 'controller/domains/rdap-response.ts',
  seeds: [
    `{"objectClassName":"domain","events":[{"eventAction":"expiration","eventDate":"2026-08-13T04:00:00Z"}],"entities":[{"roles":["registrar"],${CARD}}]}`,
    '{"objectClassName":"domain","events":[{"eventAction":"Expiration","eventDate":"20260813"},null,[]],"entities":{}}',
    `{"objectClassName":"domain","entities":[{"roles":[7,"registrar"],${CARD.replace('Example', '\\u0000\\ud800\\n')}}]}`,
    '{"objectClassName":"entity"}', '[[[[', '{"services":[[["com","NET"],["http://a.test/rdap","https://b.test"]],[["de"],[]]]}',
  ],
  feed: ({ readRdap, readRdapServers }, bytes) => {
    checkRegistration(readRdap(bytes));
    for (const { tlds, url } of readRdapServers(bytes) ?? []) {
      assert.ok(/^https?:\/\/.*\/$/s.test(url) && url.length <= 301 && tlds.every((tld) => tld.length <= 63));
    }
  },
});

/** Dates, names and hosts are short and well-formed. */
export const whoisResponse = fuzzedParser<typeof WhoisResponseModule>({
  name: 'whois-response', entry: 'controller/domains/whois-response.ts',
  seeds: [
    ...readdirSync(WHOIS).map((name) => readFileSync(join(WHOIS, name))),
    'domain: COM\nwhois: whois.verisign-grs.com\n', `Registrar:\n${' '.repeat(300)}Name${'.'.repeat(300)}: x\n`,
    `registrar whois server: ${'a-'.repeat(200)}\n`, '[有効期限] 2026/08/13\n',
  ].map((seed) => Buffer.from(seed)),
  feed: ({ readWhois, readWhoisServer }, bytes) => {
    const { registration, referral } = readWhois(bytes.toString());
    checkRegistration(registration);
    for (const host of [referral, readWhoisServer(bytes.toString())]) {
      assert.ok(host === null || host === undefined || HOST.test(host));
    }
  },
});
