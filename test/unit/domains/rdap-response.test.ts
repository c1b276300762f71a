import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRdap, readRdapServers } from '../../../controller/domains/rdap-response.ts';
import '../../helpers/property-seed.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const card = (name: unknown) => ['vcard', [['version', {}, 'text', '4.0'], ['fn', {}, 'text', name]]];
const response = {
  objectClassName: 'domain', ldhName: 'EXAMPLE.COM',
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2026-08-13T04:00:00Z' },
  ],
  entities: [
    { objectClassName: 'entity', roles: ['abuse'], vcardArray: card('Abuse desk') },
    { objectClassName: 'entity', roles: ['registrar'], vcardArray: card('Example Registrar, Inc.') },
  ],
};

describe('an RDAP response', () => {
  test('provides a domain\'s expiry and registrar', () => {
    expect(readRdap(json(response))).toEqual({
      expires_at: Date.parse('2026-08-13T04:00:00Z'), registrar: 'Example Registrar, Inc.',
    });
  });

  test('may lack both', () => {
    expect(readRdap(json({ objectClassName: 'domain' }))).toEqual({ expires_at: null, registrar: null });
    const odd = { objectClassName: 'domain', events: 7, entities: { a: 1 } };
    expect(readRdap(json(odd))).toEqual({ expires_at: null, registrar: null });
  });

  test('with invalid parts is read without them', () => {
    const broken = {
      ...response, events: [null, 1, { eventAction: 'expiration', eventDate: 'soon' }, ...response.events],
      entities: [[], { roles: ['registrar'] }, { roles: 1, vcardArray: card('x') }, ...response.entities],
    };
    expect(readRdap(json(broken))).toEqual(readRdap(json(response)));
  });

  test('reduces the name to one short line', () => {
    const long = { ...response, entities: [{ roles: ['registrar'], vcardArray: card(`a\n\ud800${'b'.repeat(9000)}`) }] };
    expect(readRdap(json(long))?.registrar).toMatch(/^a b{190,199}$/);
  });

  test.each(['', '{', '[]', 'null', '"domain"', '{"objectClassName":"entity"}', '<html>', '['.repeat(200_000)])(
    'that is something else cannot be read: %#', (text) => {
      expect(readRdap(Buffer.from(text))).toBeUndefined();
    },
  );

  test('with any JSON does not throw', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), fc.json(), (events, entities) => {
      const text = `{"objectClassName":"domain","events":[${events}],"entities":[${entities}]}`;
      expect(readRdap(Buffer.from(text))).toBeDefined();
    }), { numRuns: fewOrAll(300, 1000) });
  });
});

describe('the list of RDAP servers', () => {
  test('has a server for each top-level domain, preferring https', () => {
    const services = [
      [['com', 'NET'], ['https://rdap.one.example/v1/']],
      [['xy'], ['http://rdap.two.example/', 'https://rdap.two.example']],
      [['zz'], ['ftp://rdap.three.example/']],
    ];
    expect(readRdapServers(json({ version: '1.0', services }))).toEqual([
      { tlds: ['com', 'net'], url: 'https://rdap.one.example/v1/' },
      { tlds: ['xy'], url: 'https://rdap.two.example/' },
    ]);
  });

  test.each([{}, { services: [] }, { services: [['com']] }, { services: [[[1], ['https://x/']]] }, []])(
    'is not something else: %j', (value) => {
      expect(readRdapServers(json(value))).toBeNull();
    },
  );
});
