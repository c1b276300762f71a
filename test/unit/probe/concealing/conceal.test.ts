import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concealNamed } from '../../../../probe/concealing/conceal-named.ts';
import { EvidenceRedactor, type Observation } from '../../../../probe/evidence/response-evidence.ts';
import { concealError, concealTargetFacts, FactConcealer } from '../../../../probe/concealing/concealer.ts';
import { isCredentialName } from '../../../../probe/concealing/secrets.ts';
import type { CheckSpec } from '../../../../shared/contracts/check-spec.ts';
import { buildHttpSpec, buildTcpSpec } from '../build.ts';
import { fewOrAll } from '../../../helpers/few-or-all.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.3sYx-A_q';

const observation = (overrides: Partial<Observation>): Observation => ({
  checkedAt: 1, remoteAddress: null, addresses: [], timings: null, certificate: null,
  head: 'HTTP/1.1 500 Oops\r\n\r\n', body: '', ...overrides,
});

/** Everything shown of a response, as one text. */
function shown(spec: CheckSpec, { head = 'HTTP/1.1 500 Oops\r\n\r\n', body = '' }: { head?: string; body?: string }) {
  const redactor = new EvidenceRedactor(spec);
  const bytes = Buffer.from(body).toString('latin1');
  const { status_line: status, headers, body_excerpt: excerpt } = redactor.redact(observation({ head, body: bytes }));
  return [status, ...headers.map(({ name, value }) => `${name}: ${value}`), excerpt].join('\n');
}

const message = (spec: CheckSpec, text: string, layer: 'connect' | 'content' = 'content'): string =>
  concealError(spec, { type: 'keyword_missing', layer, message: text }).message;

describe('a field name', () => {
  test.each([
    'Set-Cookie', 'Authorization', 'Proxy-Authorization', 'X-Api-Key', 'api_key', 'apiKey', 'X-Auth', 'accessToken',
    'csrf_token', 'XSRF-TOKEN', 'client_secret', 'password', 'userPassword', 'passwd', 'pass', 'PHPSESSID-session',
    'X-Amz-Signature', 'X-Amz-Credential', 'sig', 'sid', 'key', 'WWW-Authenticate', 'jwt', 'SessionId', 'otp',
  ])('%s names a credential', (name) => expect(isCredentialName(name)).toBe(true));

  test.each([
    'Content-Type', 'Server', 'author', 'X-Author', 'Cache-Control', 'keyboard', 'status', 'passenger', 'spinner',
    'monkey', 'Date', 'design', `${'a'.repeat(200)}token`,
  ])('%s does not', (name) => expect(isCredentialName(name)).toBe(false));
});

describe('likely credentials are concealed', () => {
  test.each([
    ['{"password": "hun\\"ter2", "user": "ann"}', '{"password": "***", "user": "ann"}'],
    ['{"data":"{\\"token\\":\\"s3\\\\\\"cr\\",\\"a\\":1}"}', '{"data":"{\\"token\\":\\"***\\",\\"a\\":1}"}'],
    ['{"tokens": ["a1", "b2"], "n": 1}', '{"tokens": [***], "n": 1}'],
    ['{"auth": {"user": "ann", "pass": "x9"}}', '{"auth": {"user": "ann", "pass": "***"}}'],
    ['{"authenticated": false, "token": null, "author": "Ann"}', '{"authenticated": false, "token": null, "author": "Ann"}'],
    ['user=ann&password=hunter2&x=1', 'user=ann&password=***&x=1'],
    ['/login?next=%2Fcb%3Faccess_token%3Dabc%26x', '/login?next=%2Fcb%3Faccess_token%3D***%26x'],
    ['<p>see https://a.test/f?sig=abc123&v=2</p>', '<p>see https://a.test/f?sig=***&v=2</p>'],
    ['<ns:Password>hunter2</ns:Password> <b>ok</b>', '<ns:Password>***</ns:Password> <b>ok</b>'],
    ['<input name="csrf_token" value="abc">', '<input name="csrf_token" value="***">'],
    ['<input name="csrf_token" type="hidden" value="abc">', '<input name="csrf_token" type="hidden" value="***">'],
    ['<meta name="csrf-token" content="abc" />', '<meta name="csrf-token" content="***" />'],
    ['&quot;secret&quot;: &quot;abc&quot;, 1', '&quot;secret&quot;: &quot;***&quot;, 1'],
    ['DB_PASSWORD=hunter2\nDB_HOST=db', 'DB_PASSWORD=***\nDB_HOST=db'],
    ["'api_key' => 'abc', 'x' => 1", "'api_key' => '***', 'x' => 1"],
    ['Authorization: Basic dXNlcjpwYXNz\nHost: a', 'Authorization: ***\nHost: a'],
    ['Cookie: a=b; c=d\nHost: a', 'Cookie: ***\nHost: a'],
    ['curl -H "X: Bearer abc.def" now', 'curl -H "X: Bearer ***" now'],
    [`jwt is ${JWT}, ok`, 'jwt is ***, ok'],
    [`cut ${JWT.slice(0, 15)}`, 'cut ***'],
    ['"password": "cut', '"password": "***'],
    ['nothing to see: 42', 'nothing to see: 42'],
  ])('%s', (text, expected) => expect(concealNamed(text)).toBe(expected));

  test('in headers and the queries of their URLs', () => {
    const head = [
      'HTTP/1.1 302 Found', 'Set-Cookie: a=b; Path=/', 'SET-COOKIE: c=d', 'X-Session-Id: 42', ' and folded',
      `X-Trace: ${JWT}`, 'Location: https://a.test/cb?code=abc&state=x&token=def', 'Server: nginx', '', '',
    ].join('\r\n');
    expect(shown(buildHttpSpec(), { head }).split('\n')).toEqual([
      'HTTP/1.1 302 Found', 'Set-Cookie: ***', 'SET-COOKIE: ***', 'X-Session-Id: ***', 'X-Trace: ***',
      'Location: https://a.test/cb?code=***&state=x&token=***', 'Server: nginx', '',
    ]);
  });
});

describe('what a monitor sends is concealed wherever a target repeats it', () => {
  test.each<[string, CheckSpec, string[]]>([
    ['the value of a header', buildHttpSpec({ headers: { 'X-Own': 'zebra-1', Accept: 'text/html' } }), ['zebra-1']],
    ['a bearer', buildHttpSpec({ headers: { Authorization: 'Bearer zebra-1' } }), ['zebra-1']],
    ['basic', buildHttpSpec({ headers: { authorization: `Basic ${btoa('ann:zebra-1')}` } }), ['zebra-1', 'ann:zebra-1']],
    ['cookies', buildHttpSpec({ headers: { Cookie: 'a=zebra-1; b=zebra-2' } }), ['zebra-1', 'zebra-2']],
    ['user and password', buildHttpSpec({ url: 'http://ann:z%C3%A9bra@a.test/' }), ['zébra', 'z%C3%A9bra']],
    ['the query', buildHttpSpec({ url: 'http://a.test/?key=z%20b1&q=zebra-zebra' }), ['z b1', 'z%20b1', 'zebra-zebra']],
    ['a body of JSON', buildHttpSpec({ body: '{"a":[{"b":"zebra\\n1"},123456]}' }), ['zebra\n1', 'zebra\\n1', '123456']],
    ['a form', buildHttpSpec({ body: 'a=z+bra%21&b=zebra' }), ['z bra!', 'z+bra%21', 'zebra']],
    ['XML', buildHttpSpec({ body: '<a b="zebra-1">\n<c>zebra-2</c></a>' }), ['zebra-1', 'zebra-2']],
    ['a header with a name in it', buildHttpSpec({ headers: { 'X-Auth': 'ann:zebra-1' } }), ['ann:zebra-1', 'zebra-1']],
    ['text over TCP', buildTcpSpec({ send: 'LOGIN zebra-1\r\n' }), ['LOGIN zebra-1', 'zebra-1']],
    ['quoted text over TCP', buildTcpSpec({ send: 'LOGIN "zebra-1" ze"bra"\r\n' }), ['zebra-1', 'ze"bra"']],
    ['JSON over TCP', buildTcpSpec({ send: '{"cmd":"auth","token":"zebra-1"}\n' }), ['zebra-1']],
    ['two lines of JSON over TCP', buildTcpSpec({ send: '{"a":"zebra-1"}\n{"b":"zebra-2"}\n' }), ['zebra-1', 'zebra-2']],
    ['values with names over TCP', buildTcpSpec({ send: 'PASS:zebra-1 token=zebra-2;a\r\n' }), ['zebra-1', 'zebra-2']],
    ['a request over TCP', buildTcpSpec({
      send: 'GET /?a=zebra-1&b=zebra-2\r\nCookie: c=zebra-3; d=e\r\nAuthorization: Bearer zebra-4\r\n\r\n',
    }), ['zebra-1', 'zebra-2', 'zebra-3', 'zebra-4']],
  ])('%s', (_, spec, secrets) => {
    for (const secret of secrets) {
      const body = `before ${secret} after`;
      expect(shown(spec, { body })).toBe('HTTP/1.1 500 Oops\nbefore *** after');
    }
  });

  test('while public parts stay', () => {
    const spec = buildHttpSpec({ headers: { Accept: 'text/html' }, url: 'http://a.test/path?lang=english' });
    expect(shown(spec, { body: 'no text/html at /path in english' })).toContain('no text/html at /path in english');
  });

  test('in messages', () => {
    const spec = buildHttpSpec({ headers: { 'X-Own': 'zebra-1' }, body: '{"a":"ze\\nbra…2"}' });
    expect(message(spec, 'Expected "b", got "zebra-1"\u0000')).toBe('Expected "b", got "***"\ufffd');
    // Line breaks become spaces in a message.
    expect(message(spec, 'Got "ze bra…2"')).toBe('Got "***"');
  });

  test.each([
    ['More than 1 redirect: https://ann:pw@a.test/b?t=1#u → /c?code=2', 'More than 1 redirect: https://***@a.test/b?*** → /c?***'],
    ['header Location to exist, got "/cb#access=abc"', 'header Location to exist, got "/cb#***"'],
    ['header Location to exist, got "login?ticket=abc"', 'header Location to exist, got "login?***"'],
    ['got "[https://a.test/b?t=1]" and "a,/b#t=1"', 'got "[https://a.test/b?***" and "a,/b#***"'],
    ['got "{\\"u\\":\\"https:\\/\\/a.test\\/b?t=1\\"}"', 'got "{\\"u\\":\\"https:\\/\\/a.test\\/b?***"}"'],
    ["got \"https://a.test/b?it's\"", 'got "https://a.test/b?***"'],
    ['got "next=https%3A%2F%2Fa.test%2Fb%3Ft%3D1"', 'got "next=https%3A%2F%2Fa.test%2Fb%3F***"'],
    ['Expected "a?b", got "is it on/off? yes"', 'Expected "a?b", got "is it on/off? yes"'],
  ])('with the queries of URLs: %s', (text, expected) => expect(message(buildHttpSpec(), text)).toBe(expected));

  test('but not if it is too short to distinguish from other text', () => {
    const spec = buildHttpSpec({ headers: { 'X-Own': '1', 'X-Other': 'ref' } });
    expect(message(spec, 'Connection refused after 1 s')).toBe('Connection refused after 1 s');
  });

  test('also if truncated by the end of a text', () => {
    const secret = 'zebra/1 and "more"';
    const spec = buildHttpSpec({ headers: { 'X-Own': secret } });
    const redactor = new EvidenceRedactor(spec);
    for (const form of [secret, encodeURIComponent(secret), asJson(secret), asHtml(secret)]) {
      for (let length = 4; length < form.length; length += 1) {
        const { body_excerpt: excerpt } = redactor.redact(observation({ body: `said ${form.slice(0, length)}` }));
        expect(excerpt).toMatch(/^said \*\*\*$/);
        expect(message(spec, `Got "${form.slice(0, length)}…"`)).toMatch(/^Got "\*\*\*…"$/);
      }
    }
  });

  test('and with too many secrets to search for, no text is shown', () => {
    const body = JSON.stringify(Array.from({ length: 300 }, (_, at) => `zebra-${at}`));
    const spec = buildHttpSpec({ body });
    const redactor = new EvidenceRedactor(spec);
    expect(message(spec, 'zebra-99')).toBe('***');
    expect(message(spec, 'Connection refused', 'connect')).toBe('Connection refused');
    expect(redactor.redact(observation({ body: 'zebra-99', remoteAddress: '192.0.2.1' }))).toMatchObject({
      status_line: null, headers: [], body_excerpt: null, remote_address: '192.0.2.1',
    });
  });
});

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const asAscii = (text: string): string =>
  asJson(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
const asHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;');

/** How targets echo what they received. */
const FORMS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret, json: asJson, ascii: asAscii, html: asHtml,
  slashes: (secret) => asJson(secret).replaceAll('/', '\\/'),
  go: (secret) => asJson(secret).replace(/[<>&]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
  url: encodeURIComponent,
  lower: (secret) => encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
  strict: (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  form: (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
  within: (secret) => Buffer.from(`{"a":"${secret}"}`).toString('base64'),
};

describe('the value of a secret variable', () => {
  test.each([
    ['ab', 'cab ac', 'c*** ac'],
    ['Token+1 "x"', 'GET /Token+1%20%22x%22', 'GET /***'],
    ['a+b', '{"q": "a b"}', '{"q": "***"}'],
    ['https://hooks.example.com/services/T0ABC123/x', 'POST /services/T0ABC123 from hooks.example.com', 'POST /***/*** from ***'],
    ['Secret.Example', 'no such host secret.example', 'no such host ***'],
  ])('%s is concealed wherever a check puts it, however short', (secret, said, expected) => {
    expect(shown(buildHttpSpec({ secrets: [secret] }), { body: said }).split('\n').at(-1)).toBe(expected);
  });

  test('is not in the facts about a target whose host it is', () => {
    const facts = new FactConcealer(buildHttpSpec({ secrets: ['db.example', '192.0.2.7'] }));
    const fixed = { valid: false, expires_at: 1, issuer: 'CN=CA', fingerprint256: 'AA', protocol: 'TLSv1.3' };
    const problem = { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'not for DB.example or db.example' };
    const shownFacts = { ...BARE_FACTS, ...fixed, names: ['*.db.example', 'a'], subject: 'CN=db.example', problem };
    expect(facts.tls(shownFacts)).toEqual({
      ...BARE_FACTS, ...fixed, names: ['*.***', 'a'], subject: 'CN=***',
      problem: { code: problem.code, message: 'not for DB.example or ***' },
    });
    expect([facts.address('192.0.2.7'), facts.address('192.0.2.8')]).toEqual([null, '192.0.2.8']);
    expect(concealTargetFacts(buildHttpSpec({ secrets: ['db.example', '192.0.2.7'] }), {
      addresses: ['192.0.2.7', '192.0.2.8'], name_servers: ['ns.db.example'], redirects: ['https://db.example/'],
      headers: { via: '1.1 db.example' },
    })).toEqual({
      addresses: ['192.0.2.8'], name_servers: ['ns.***'], redirects: ['https://***/'], headers: { via: '1.1 ***' },
    });
    expect(facts.detail({ answers: { A: ['192.0.2.7', 'x'] } })).toEqual({ answers: { A: ['***', 'x'] } });
  });
});

test('facts about a target show nothing that the monitor sent, and a long value is cut after that', () => {
  const spec = buildHttpSpec({ headers: { 'X-Own': 'hunter2-hunter2' } });
  const long = `${'a'.repeat(190)}hunter2-hunter2${'b'.repeat(100)}`;
  const facts = concealTargetFacts(spec, {
    redirects: ['http://a/hunter2-hunter2'], headers: { server: long, via: 'token=abc' },
  });
  expect(facts.redirects).toEqual(['http://a/***']);
  expect(facts.headers).toEqual({ server: expect.stringMatching(/^a{189} … #[\da-f]{8}$|^a{189}… #[\da-f]{8}$/), via: 'token=***' });
  expect(facts.headers?.server).toHaveLength(200);
});

describe('no form of a secret survives', () => {
  const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 })
    .map((text) => text.trim()).filter((text) => text.length >= 4);
  const form = fc.constantFrom(...Object.keys(FORMS));
  const around = fc.constantFrom('', ' ', '"', 'x=', '/', '<p>', '\r\n', '%', '\\', '&', 'é');

  test.each(['body', 'head'] as const)('in the %s', (where) => {
    fc.assert(fc.property(secret, form, around, around, fc.nat(6000), (text, name, before, after, at) => {
      // Only such texts are valid header values; the others are sent in a body.
      const isValue = /^[\t\x20-\x7e]*$/.test(text);
      const spec = buildHttpSpec(isValue ? { headers: { 'X-Own': text } } : { body: text });
      const echo = (FORMS[name] as (secret: string) => string)(text);
      fc.pre(echo.length > 3 && !'HTTP/1.1 500 Oops X-Said'.includes(text));
      // Together these would be the URL encoding of something else.
      fc.pre(before !== '%' || !/^[\da-f]{2}/i.test(echo));
      const said = `${'.'.repeat(at)}${before}${echo}${after}`;
      const seen = where === 'body'
        ? shown(spec, { body: said })
        : shown(spec, { head: `HTTP/1.1 500 Oops\r\nX-Said: ${said.replace(/[\r\n]/g, '')}\r\n\r\n` });
      expect(seen).not.toContain(echo);
      expect(seen).not.toContain(text);
    }), { numRuns: fewOrAll(50, 150) });
  });
});
