import { describe, expect, test } from 'vitest';
import { questionFor, queryMessage, type Question } from '../../../../../probe/checks/dns/question.ts';
import { readResponse, type DnsResponse } from '../../../../../probe/checks/dns/response.ts';
import type { DnsRecordType } from '../../../../../shared/dns-values.ts';
import {
  TO_QUESTION, u16, u32, wireMessage, wireName, wireRecord, wireString, type WireMessage,
} from './wire.ts';

const ID = 0xbeef;
const NAME = 'www.example.com';

function read(
  type: DnsRecordType, records: Buffer[], changes: Partial<WireMessage> = {}, cutAt?: number,
): DnsResponse {
  const question = questionFor(NAME, type) as Question;
  const message = wireMessage({ id: ID, question: question.section, records, ...changes });
  return readResponse(message.subarray(0, cutAt), question, ID);
}

const a = (...octets: number[]) => wireRecord({ type: 1, data: Buffer.of(...octets) });
const cname = (owner: Buffer, target: Buffer) => wireRecord({ owner, type: 5, data: target });
/** Where the answer section starts. */
const RECORDS_AT = 12 + (questionFor(NAME, 'A') as Question).section.length;

describe('a name server response', () => {
  const rows: [DnsRecordType, number, Buffer, string][] = [
    ['A', 1, Buffer.of(192, 0, 2, 255), '192.0.2.255'],
    ['AAAA', 28, Buffer.from('20010db800000000000000000000000a', 'hex'), '2001:db8::a'],
    ['CNAME', 5, wireName('Web.EXAMPLE.net'), 'web.example.net'],
    ['NS', 2, Buffer.concat([wireString('ns1'), u16(0xc010)]), 'ns1.example.com'],
    ['PTR', 12, wireName('a_b-c.example'), 'a_b-c.example'],
    ['MX', 15, Buffer.concat([u16(10), wireName('mail.example.com')]), '10 mail.example.com'],
    ['MX', 15, Buffer.concat([u16(0), wireName('')]), '0 .'],
    ['SRV', 33, Buffer.concat([u16(1, 2, 443), wireName('srv.example')]), '1 2 443 srv.example'],
    ['TXT', 16, Buffer.concat([wireString('v=spf1 '), wireString('-all ü')]), 'v=spf1 -all ü'],
    ['TXT', 16, wireString(''), ''],
    ['CAA', 257, Buffer.concat([Buffer.of(128), wireString('Issue'), Buffer.from('ca.example; x=1')]),
      '128 issue "ca.example; x=1"'],
    ['SOA', 6, Buffer.concat([wireName('ns1.example'), wireName('a.b'), u32(2 ** 32 - 1, 2, 3, 4, 5)]),
      'ns1.example a.b 4294967295 2 3 4 5'],
  ];
  test.each(rows)('shows a record of type %s (%i)', (type, number, data, value) => {
    expect(read(type, [wireRecord({ type: number, data })])).toEqual({
      kind: 'records', values: [value], alias: null, isReferral: false,
    });
  });

  test('yields only records of the name and type in class IN', () => {
    const other = wireRecord({ type: 1, data: Buffer.of(1, 1, 1, 1), owner: wireName('example.com') });
    const chaos = Buffer.concat([TO_QUESTION, u16(1, 3), u32(60), u16(4), Buffer.of(2, 2, 2, 2)]);
    const text = wireRecord({ type: 16, data: wireString('x') });
    expect(read('A', [other, chaos, text, a(192, 0, 2, 1), a(192, 0, 2, 2)])).toMatchObject({
      values: ['192.0.2.1', '192.0.2.2'],
    });
    expect(read('A', [])).toEqual({ kind: 'records', values: [], alias: null, isReferral: false });
  });

  test('is resolved through its CNAME records, in any order', () => {
    const [one, two] = [wireName('one.example'), wireName('two.example')];
    const address = wireRecord({ owner: wireName('TWO.example'), type: 1, data: Buffer.of(192, 0, 2, 7) });
    expect(read('A', [address, cname(one, two), cname(TO_QUESTION, one)])).toEqual({
      kind: 'records', values: ['192.0.2.7'], alias: 'two.example', isReferral: false,
    });
    expect(read('CNAME', [cname(TO_QUESTION, one), cname(one, two)])).toMatchObject({ values: ['one.example'] });
    expect(read('A', [cname(TO_QUESTION, one)])).toMatchObject({ values: [], alias: 'one.example' });
  });

  test('that only refers to other servers is a referral', () => {
    const authorities = [wireRecord({ type: 2, data: wireName('ns1.example'), owner: wireName('com') })];
    expect(read('A', [], { authorities })).toMatchObject({ values: [], isReferral: true });
    expect(read('A', [], { authorities, flags: 0x8400 })).toMatchObject({ isReferral: false });
    const soa = Buffer.concat([wireName('a'), wireName('b'), u32(1, 2, 3, 4, 5)]);
    expect(read('A', [], { authorities: [wireRecord({ type: 6, data: soa })] })).toMatchObject({
      isReferral: false,
    });
  });

  test.each([
    ['another id', { id: 1 }], ['another question', { question: Buffer.concat([wireName('x'), u16(1, 1)]) }],
    ['no question', { question: Buffer.alloc(0) }], ['a query', { flags: 0x0100 }],
    ['another operation', { flags: 0x9180 }],
  ])('with %s is unrelated', (_, changes) => {
    expect(read('A', [a(192, 0, 2, 1)], changes)).toEqual({ kind: 'unrelated' });
  });

  test('may echo the question in different case', () => {
    const question = Buffer.concat([wireName('WWW.Example.COM'), u16(1, 1)]);
    expect(read('A', [a(192, 0, 2, 1)], { question })).toMatchObject({ values: ['192.0.2.1'] });
  });

  test('distinguishes errors from truncation', () => {
    expect(read('A', [], { flags: 0x8183 })).toEqual({ kind: 'error', rcode: 3, alias: null });
    expect(read('A', [], { flags: 0x8181, question: Buffer.alloc(0) })).toEqual({ kind: 'error', rcode: 1, alias: null });
    expect(read('A', [], { flags: 0x8380 })).toEqual({ kind: 'truncated' });
  });

  test('reports the alias whose lookup failed, if readable', () => {
    const alias = wireRecord({ type: 5, data: wireName('db.example.org') });
    expect(read('A', [alias], { flags: 0x8183 })).toEqual({ kind: 'error', rcode: 3, alias: 'db.example.org' });
    const damaged = [alias.subarray(0, -3), wireRecord({ type: 5, data: wireName('www.example.com') })];
    for (const record of damaged) {
      expect(read('A', [record], { flags: 0x8183 })).toEqual({ kind: 'error', rcode: 3, alias: null });
    }
  });
});

describe('a hostile response', () => {
  const self = wireRecord({ owner: u16(0xc000 | RECORDS_AT), type: 1, data: Buffer.of(192, 0, 2, 1) });
  const forward = wireRecord({ owner: u16(0xc000 | (RECORDS_AT + 2)), type: 1, data: Buffer.of(1, 2, 3, 4) });
  const [one, two] = [wireName('one.example'), wireName('two.example')];
  const rows: [string, DnsRecordType, Buffer[], string][] = [
    ['a pointer to itself', 'A', [self], 'it ends within a record'],
    ['a pointer ahead', 'A', [forward], 'it ends within a record'],
    ['a label that points back to its own name', 'A',
      [wireRecord({ owner: Buffer.concat([Buffer.of(1, 97), u16(0xc000 | RECORDS_AT)]), type: 1, data: one })],
      'it ends within a record'],
    ['a name over 255 bytes', 'A',
      [wireRecord({ owner: wireName(Array<string>(130).fill('a').join('.')), type: 1, data: one })],
      'it ends within a record'],
    ['a label of an unknown kind', 'A', [wireRecord({ owner: Buffer.of(0x40, 0), type: 1, data: one })],
      'it ends within a record'],
    ['a loop of CNAME records', 'A', [cname(TO_QUESTION, one), cname(one, two), cname(two, one)],
      'its CNAME records form a loop'],
    ['a CNAME to itself', 'A', [cname(TO_QUESTION, TO_QUESTION)], 'its CNAME records form a loop'],
    ['an overlong address', 'A', [wireRecord({ type: 1, data: Buffer.of(1, 2, 3, 4, 5) })],
      'a record of type A is damaged'],
    ['a short address', 'AAAA', [wireRecord({ type: 28, data: Buffer.of(1, 2, 3, 4) })],
      'a record of type AAAA is damaged'],
    ['a text longer than its record', 'TXT', [wireRecord({ type: 16, data: Buffer.of(9, 97) }), a(1, 2, 3, 4)],
      'a record of type TXT is damaged'],
    ['a tag longer than its record', 'CAA', [wireRecord({ type: 257, data: Buffer.of(0, 9, 97) })],
      'a record of type CAA is damaged'],
    ['a record longer than the message', 'A', [wireRecord({ type: 1, data: Buffer.of(1, 2, 3, 4), size: 5 })],
      'it ends within a record'],
    ['thousands of records', 'A', Array<Buffer>(1001).fill(a(192, 0, 2, 1)), 'it has more than 1000 records'],
  ];
  test.each(rows)('with %s is rejected', (_, type, records, problem) => {
    expect(read(type, records)).toEqual({ kind: 'malformed', problem });
  });

  test('truncated anywhere is rejected', () => {
    const records = [cname(TO_QUESTION, one), wireRecord({ owner: one, type: 1, data: Buffer.of(192, 0, 2, 1) })];
    const whole = wireMessage({ id: ID, question: (questionFor(NAME, 'A') as Question).section, records }).length;
    expect(read('A', records)).toMatchObject({ kind: 'records', values: ['192.0.2.1'] });
    for (let cut = 0; cut < whole; cut += 1) {
      expect(read('A', records, {}, cut).kind).toMatch(cut < RECORDS_AT ? 'unrelated' : 'malformed');
    }
  });

  test('shows unusual bytes of a name escaped, including dots in labels', () => {
    const data = Buffer.concat([wireString('a.b'), wireString('x\r\n\x1b[1m"\\'), wireString('ü'), Buffer.of(0)]);
    expect(read('PTR', [wireRecord({ type: 12, data })])).toMatchObject({
      values: ['a\\.b.x\\013\\010\\027[1m\\"\\\\.\\195\\188'],
    });
  });

  test('with a text of 64 kB is parsed', () => {
    const data = Buffer.concat(Array<Buffer>(250).fill(wireString('x'.repeat(255))));
    const response = read('TXT', [wireRecord({ type: 16, data })]);
    expect(response).toEqual({ kind: 'records', values: ['x'.repeat(63_750)], alias: null, isReferral: false });
  });
});

describe('a question', () => {
  test('is encoded as in RFC 1035 and RFC 6891', () => {
    const question = questionFor('A.b', 'CAA') as Question;
    expect(queryMessage(question, 0x0102, true).toString('hex')).toBe(
      '0102' + '0100' + '0001' + '0000' + '0000' + '0001' + '01610162' + '00' + '0101' + '0001'
        + '00' + '0029' + '04d0' + '00000000' + '0000',
    );
    expect(queryMessage(question, 0x0102, false).toString('hex')).toBe(
      '0102' + '0100' + '0001' + '0000' + '0000' + '0000' + '01610162' + '00' + '0101' + '0001',
    );
  });

  test.each(['', 'a..b', '.', 'a b', 'a\\.b', `${'a'.repeat(64)}.com`, Array<string>(128).fill('a').join('.')])(
    'is not created for the invalid name %j', (name) => expect(questionFor(name, 'A')).toBeNull(),
  );
});
