import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as StrictJson from '../../../controller/http/body/strict-json.ts';
import type * as ClientAddress from '../../../controller/http/routing/exchange.ts';
import type * as ResultPack from '../../../shared/contracts/result-pack.ts';
import { fuzzedParser } from './fuzzed-parser.ts';

/** In the checkout, where npm runs; the bundled fuzzer is elsewhere. */
const SAMPLES = resolve('test/fixtures/contracts/v1');
const packed = Buffer.from(readFileSync(join(SAMPLES, 'result-batch-packed.hex'), 'utf8').trim(), 'hex');
const REFUSALS = new Set(['RangeError', 'SyntaxError', 'ZodError']);

/** A probe's batch is rejected with one of three errors, or survives a round trip. */
export const resultPack = fuzzedParser<typeof ResultPack>({
  name: 'result-pack', entry: 'shared/contracts/result-pack.ts',
  seeds: [packed, readFileSync(join(SAMPLES, 'result-batch.json'))],
  feed: ({ decodeBatch, encodeBatch, readLaneHeader }, bytes) => {
    readLaneHeader(bytes);
    let batch;
    try {
      batch = decodeBatch(bytes);
    } catch (error) {
      return assert.ok(error instanceof Error && REFUSALS.has(error.name), String(error));
    }
    const again = decodeBatch(encodeBatch(batch));
    assert.deepEqual(again, decodeBatch(encodeBatch(again)));
    assert.deepEqual([again.first, again.last, again.results.length], [batch.first, batch.last, batch.results.length]);
  },
});

/** Accepted input equals the output of JSON.parse; the rest is rejected with the right code. */
export const strictJson = fuzzedParser<typeof StrictJson>({
  name: 'strict-json', entry: 'controller/http/body/strict-json.ts',
  seeds: [
    '{"name":"a","tags":["x","y\\u00e4"],"n":-1.5e3,"o":{"p":null,"q":true}}', '[1,[2,[3,{"a":[]}]]]', '"\\ud83d\\ude00"',
    '{"a":1,"a":2}', '{"__proto__":{}}', `${'['.repeat(70)}${']'.repeat(70)}`, '1e999', '"\\ud800"', '"\\u0000"', ' {} ',
  ],
  feed: ({ parseStrictJson }, bytes) => {
    const text = new TextDecoder().decode(bytes);
    let value: unknown;
    try {
      value = parseStrictJson(text);
    } catch (error) {
      return assert.equal((error as { code?: string }).code, 'JSON_PARSE_ERROR');
    }
    assert.deepEqual(value, JSON.parse(text));
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  },
});

/** The client's address is the peer's, or the entry added by the first trusted proxy, never further left. */
export const clientAddress = fuzzedParser<typeof ClientAddress>({
  name: 'client-address', entry: 'controller/http/routing/exchange.ts',
  seeds: [
    '198.51.100.7, 203.0.113.9', '[2001:db8::1]:443, ::ffff:203.0.113.9', 'unknown, _hidden, "203.0.113.9:80"', ',,,', '[]',
    `[${']'.repeat(300)}`, 'fe80::1%eth0, 2001:db8:0:0:0:0:0:1',
  ],
  feed: ({ addressBucket, clientAddress: addressOf }, bytes, random) => {
    const header = bytes.toString('latin1').replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');
    assert.equal(addressOf('192.0.2.1', header, 0), '192.0.2.1');
    const proxies = random.int(1, 3);
    const address = addressOf('192.0.2.1', header, proxies);
    const trusted = header.split(',').slice(-proxies)[0] as string;
    assert.ok(address === '192.0.2.1' || trusted.includes(address));
    assert.ok(addressBucket(address).length <= 64);
  },
});
