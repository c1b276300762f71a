import type { Random } from '../simulation/random.ts';

/** Strings that commonly break software. */
export const ODD_TEXTS: readonly string[] = [
  '', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '\u202eevil', 'e\u0301', '\ufeffbom', 'İSTANBUL ı', '𝒳'.repeat(
    300,
  ), '\u2028\u2029', 'ﷺ'.repeat(100), 'null', 'undefined', 'NaN', 'true',
  '$gt', '$where', '{"$ne":null}', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty',
  '(a+)+$', '.*.*.*.*.*x', '[', '\\', '^(a|a)*$', `${'a'.repeat(5000)}!`,
  '../../etc/passwd', '..%2f..%2fetc', '%00', '%zz', "' OR 1=1 --", '<script>alert(1)</script>', '{{7*7}}',
  '${7*7}', 'a\r\nB: c', '=1+1', '-rf', '0x10', '1e999', '-0', '9'.repeat(400),
  'javascript:alert(1)', 'file:///etc/passwd', 'http://127.1/', 'http://[::ffff:169.254.169.254]/',
  'http://user:pass@example.com/', 'http://exa mple/', 'http://\u2024/', 'ftp://x/', '::::',
  'x'.repeat(70_000),
];

const ODD_NUMBERS: readonly number[] = [
  0, -0, -1, 1, 0.5, -1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -(2 ** 53),
  2 ** 63, 1e21, 1e308, 5e-324, 59, 86_401, 65_536, 101, 1001,
];

/** A value of any type, for a field of another type. */
export function oddValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick(
      ODD_TEXTS,
    ), () => random.pick(ODD_TEXTS), () => random.pick(ODD_NUMBERS), () => random.pick(ODD_NUMBERS),
    () => null, () => true, () => [], () => ({}), () => [
      null,
    ], () => [[]], () => ({ $gt: '' }), () => ({ $where: '1' }), () => ({ a: { b: { c: 1 } } }),
    () => Array.from(
      { length: random.pick([1, 21, 101, 1001, 5000]) }, () => 'x',
    ), () => nested(random.pick([5, 60, 90])),
    () => Object.fromEntries(Array.from({ length: random.pick([1, 51, 500]) }, (_, at) => [`k${at}`, 'v'])),
    () => random.uuid(), () => [random.uuid()], () => random.uuid().toUpperCase(),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Bodies that are not JSON, or not accepted as JSON. */
export const ODD_BODIES: readonly (string | Buffer)[] = [
  '{', '{"a":', '{"a":1,}', '[]', 'null', '"text"', '1', '{} {}', '{"a":1,"a":2}',
  '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"a":1e999}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}', '\ufeff{}', '['.repeat(
    10_000,
  ), `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 'a=b&c=d', '<?xml version="1.0"?><a/>', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
  Buffer.from('{"a":"b"}', 'utf16le'), Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), Buffer.from([
    0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d,
  ]), Buffer.alloc(1000), `{"a":"${'x'.repeat(1024 * 1024)}"}`,
  'a: &a [*a]', 'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]', '!!js/function "x"', 'a: !!binary x',
  '- - - - - -', '%', '?', 'monitors: [{name: x}]\n---\nb: 1',
];

export const ODD_QUERIES: readonly string[] = [
  'limit=0', 'limit=-1', 'limit=1e9', 'limit=NaN', 'limit=', 'limit=101', 'limit[]=1', 'limit=5&limit=6',
  'offset=-1', 'offset=99999999999999999999', 'page=0', 'page=x', 'page=999999999', 'search[$ne]=x',
  'status[]=a', '$where=1', '__proto__=1', '__proto__[x]=1', 'constructor=1', 'a.b=1', '=', '&&&', '%',
  '%zz=%zz', 'search=%00', 'search=%ff', 'search=(a%2B)%2B%24', 'period=1y', 'sort_by=__proto__',
  'sort_order=up', 'from=yesterday', 'from=9999-99-99T00:00:00Z', 'cursor=x', 'before=-1', 'types=,,,',
  'group_id=null', 'dry_run=maybe', 'format=xml', `q=${'x'.repeat(3000)}`,
];

export const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'x-project-id': 'x' }, { 'x-project-id': '' }, {
    'x-project-id': '00000000-0000-4000-8000-000000000000',
  }, { 'x-organization-id': 'x' }, { 'x-organization-id': '00000000-0000-4000-8000-000000000000' },
  { 'x-request-id': '<script>' }, { 'x-request-id': 'x'.repeat(500) }, {
    'x-forwarded-for': '127.0.0.1, ::1',
  }, { 'x-http-method-override': 'DELETE' }, { 'content-encoding': 'gzip' }, { expect: '200-ok' },
  { 'last-event-id': '-1' }, { 'last-event-id': '__proto__' }, { accept: 'application/xml' }, {
    cookie: 'a=b; __proto__=c',
  }, { host: 'evil.example' }, { 'if-none-match': '*' }, { range: 'bytes=0-1' },
  { 'content-type': 'text/plain' }, { 'content-type': 'application/json; charset=utf-16' }, {
    'content-type': 'multipart/form-data',
  }, { 'content-type': 'application/yaml' }, { 'content-type': '' },
  { origin: 'https://evil.example' }, { upgrade: 'websocket', connection: 'upgrade' }, { te: 'trailers' },
  { 'transfer-encoding': 'chunked' }, { accept: '*/*;q=nonsense' },
];

export const ODD_METHODS: readonly string[] =
  ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST', 'GET', 'PROPFIND', 'TRACE', 'LOCK', 'SEARCH'];

export const ODD_SEGMENTS: readonly string[] = [
  'x', '..', '%2e%2e', '..%2f..%2fetc%2fpasswd', '%00', '%zz', "'", '%F0%9F%92%A9', '[object%20Object]',
  '__proto__', 'constructor', '00000000-0000-4000-8000-000000000000',
  '0', '-1', 'null', 'x'.repeat(3000), '%u0000', 'a;b', 'a%0d%0aB:%20c', '$where', '%ff%fe', '{id}', ':id',
  '*',
];
