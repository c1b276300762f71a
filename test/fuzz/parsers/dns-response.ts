import assert from 'node:assert/strict';
import { DNS_RECORD_TYPES } from '../../../shared/contracts/check-spec.ts';
import { HEADER_BYTES, questionFor, type Question } from '../../../probe/checks/dns/question.ts';
import type * as ResponseModule from '../../../probe/checks/dns/response.ts';
import {
  TO_QUESTION, u16, u32, wireMessage, wireName, wireQuestion, wireRecord, wireString,
} from '../../unit/probe/checks/dns/wire.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

const NAME = 'www.example.com';
const ID = 0x1234;
const data: Record<(typeof DNS_RECORD_TYPES)[number], Buffer> = {
  A: Buffer.of(192, 0, 2, 1),
  AAAA: Buffer.from('20010db8000000000000000000000001', 'hex'),
  CNAME: wireName('example.net'),
  MX: Buffer.concat([u16(10), wireName('mail.example.com')]),
  NS: Buffer.concat([wireString('ns1'), u16(0xc010)]),
  TXT: Buffer.concat([wireString('v=spf1 -all'), wireString('more')]),
  SOA: Buffer.concat([TO_QUESTION, wireName('a.b.example'), u32(1, 2, 3, 4, 5)]),
  SRV: Buffer.concat([u16(1, 2, 443), wireName('srv.example.com')]),
  CAA: Buffer.concat([Buffer.of(0), wireString('issue'), Buffer.from('ca.example')]),
  PTR: Buffer.concat([wireString('host.with.dots'), wireName('example')]),
};

const questions = DNS_RECORD_TYPES.map((type) => questionFor(NAME, type) as Question);
const seeds = questions.flatMap(({ type, section }, at) => {
  const number = section.readUInt16BE(section.length - 4);
  const record = wireRecord({ type: number, data: data[type] });
  const alias = wireRecord({ type: 5, data: wireName('a.example') });
  const target = wireRecord({ type: number, data: data[type], owner: wireName('a.example') });
  return [
    wireMessage({ id: ID, question: section, records: [record, record] }),
    wireMessage({ id: ID, question: section, records: [target, alias] }),
    wireMessage({
      id: ID, flags: 0x8100 | at, question: wireQuestion(NAME, type),
      authorities: [wireRecord({ type: 2, data: data.NS })],
    }),
  ];
});

/** For a question of any type: values are no longer than compression and escapes allow. */
export const dnsResponse = fuzzedParser<typeof ResponseModule>({
  name: 'dns-reply', entry: 'probe/checks/dns/response.ts', seeds,
  feed: ({ readResponse }, bytes, random) => {
    const before = Buffer.from(bytes);
    const question = questions.find(({ section }) => bytes.indexOf(section) === HEADER_BYTES);
    const response = readResponse(bytes, question ?? random.pick(questions), ID);
    assert.ok(bytes.equals(before));
    if (response.kind !== 'records') return;
    assert.ok(response.values.length <= 1000);
    for (const value of [...response.values, response.alias ?? '']) assert.ok(value.length <= bytes.length + 4 * 255);
  },
});
