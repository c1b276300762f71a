import { afterEach, describe, expect, test } from 'vitest';
import { AssertionRule } from '../../../../probe/checks/http/assertions.ts';
import { BodyText } from '../../../../probe/checks/http/body-text.ts';
import { containsText } from '../../../../probe/checks/http/literal-search.ts';
import { HeadReader, type ResponseHead } from '../../../../probe/checks/http/response-head.ts';
import type { Assertion } from '../../../../shared/contracts/check-spec.ts';
import { check, closeServers, serve } from './http-fixture.ts';

afterEach(closeServers);

const JSON_PAGE = JSON.stringify({
  status: 'ok', version: '1.10', load: 0.5, big: 1e21, up: true, none: null, items: [{ id: 7 }, { id: 8 }],
});
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Left: 41\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n';

function headOf(text: string): ResponseHead {
  const outcome = new HeadReader().push(Buffer.from(text), 0, text.length);
  return outcome.kind === 'head' ? outcome.head : expect.unreachable();
}

/** Evaluates an assertion such as `json $.a equals x` on the page: null, or the message. */
function said(line: string, text = JSON_PAGE, part: string | null = null): string | null {
  const [source, rest] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
  const [property, after] = source === 'body' ? [undefined, rest] : [rest.split(' ')[0], rest.slice(rest.indexOf(' ') + 1)];
  const [comparison, ...target] = after.split(' ');
  const assertion = {
    source, property, comparison, ...(target.length > 0 ? { target: target.join(' ') } : {}),
  } as Assertion;
  return new AssertionRule([assertion]).problem({ head: headOf(HEAD), text: new BodyText(Buffer.from(text), null), part });
}

describe('an assertion', () => {
  test.each([
    'header content-type equals application/json', 'header CONTENT-TYPE contains json',
    'header x-left greater_than 40', 'header x-left less_than 41.5', 'header x-left exists',
    'header x-other absent', 'header set-cookie equals a=1, b=2', 'header x-left not_equals 41.0',
    'json $.status equals ok', 'json $.status not_equals OK', 'json $.version not_equals 1.1',
    'json $.load equals 0.50', 'json $.load less_than 1', 'json $.load not_equals 0.4', 'json $.big greater_than 5',
    'json $.up equals true', 'json $.none equals null', 'json $.none exists', 'json $.items exists',
    'json $.items[0].id equals 7', 'json $[\'items\'][-1].id equals 8', 'json $.items[2] absent',
    'json $.status.length absent', 'json $.items.length absent', 'json $ exists', 'json $.__proto__ absent',
    'json $.status contains k', 'json $.load not_contains 6',
    'body contains "status":"ok"', 'body not_contains Error', 'body exists',
  ])('holds: %s', (line) => {
    expect(said(line)).toBeNull();
  });

  test.each([
    ['header content-type equals text/html', 'Expected header content-type to equal "text/html", got "application/json"'],
    ['header x-other contains a', 'Expected header x-other to contain "a", got no such header'],
    ['header x-other not_equals a', 'Expected header x-other not to equal "a", got no such header'],
    ['header x-left absent', 'Expected header x-left to be absent, got "41"'],
    ['header content-type greater_than 5', 'Expected header content-type to be greater than "5", got "application/json"'],
    ['json $.status equals down', 'Expected $.status to equal "down", got "ok"'],
    ['json $.load greater_than 0.5', 'Expected $.load to be greater than "0.5", got 0.5'],
    ['json $.load less_than many', 'Expected $.load to be less than "many", got 0.5'],
    ['json $.items equals 7', 'Expected $.items to equal "7", got a list'],
    ['json $.items[0] not_equals 7', 'Expected $.items[0] not to equal "7", got an object'],
    ['json $.items[2].id equals 7', 'Expected $.items[2].id to equal "7", got no such value'],
    ['json $.none absent', 'Expected $.none to be absent, got null'],
  ])('fails: %s', (line, message) => {
    expect(said(line)).toBe(message);
  });

  test.each([
    ['<html>\n<b>', null, 'Expected JSON, got something else: "<html> <b>"'],
    ['{"a":1', 'the first 256 kB', 'Expected JSON, got something else, received only the first 256 kB: "{"a":1"'],
    [' ', null, 'Expected JSON, got an empty body'],
    ['x'.repeat(200), null, `Expected JSON, got something else: "${'x'.repeat(100)}…"`],
  ])('on JSON fails for a page that is not JSON: %j', (text, part, message) => {
    expect(said('json $.a absent', text, part)).toBe(message);
  });

  test('accepts JSON after a byte order mark, of any depth, up to 256 kB', () => {
    expect(said('json $.a equals 1', '\ufeff{"a":1}')).toBeNull();
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(said('json $[0][0][0] exists', deep(131_072))).toBeNull();
    expect(said('json $[0] equals 1', deep(131_072))).toBe('Expected $[0] to equal "1", got a list');
    expect(said('json $[0] exists', deep(131_073))).toBe('Expected JSON, got more than 256 kB');
  });

  test('on an empty body holds only for absence', () => {
    expect(said('body absent', '')).toBeNull();
    expect(said('body not_contains a', '')).toBe('Expected the body not to contain "a", got an empty body');
  });

  test('that fails is reported, and further failures are counted', () => {
    const rule = new AssertionRule([
      { source: 'header', property: 'x-left', comparison: 'equals', target: '41' },
      { source: 'header', property: 'x-a', comparison: 'exists' },
      { source: 'header', property: 'x-b', comparison: 'exists' },
    ]);
    expect(rule.problem({ head: headOf(HEAD), text: new BodyText(Buffer.alloc(0), null), part: null })).toBe(
      'Expected header x-a to exist, got no such header (and 1 more)',
    );
  });
});

describe('a check with assertions', () => {
  test('fails as keyword_missing if one fails, and requests the body only if needed', async () => {
    const server = await serve((socket) => socket.end(`${HEAD}${JSON_PAGE}`));
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await check({ url, assertions: [
      { source: 'json', property: '$.status', comparison: 'equals', target: 'ok' },
      { source: 'header', property: 'X-Left', comparison: 'greater_than', target: '40' },
    ] })).toMatchObject({ outcome: 'success' });
    expect(server.received[0]).toContain('Accept-Encoding');
    expect(await check({ url, assertions: [
      { source: 'header', property: 'X-Left', comparison: 'less_than', target: '40' },
    ] })).toMatchObject({
      outcome: 'failure', status_code: 200, observed: { head: HEAD, body: JSON_PAGE },
      error: {
        type: 'keyword_missing', layer: 'content',
        message: 'Expected header X-Left to be less than "40", got "41"',
      },
    });
    expect(server.received[1]).not.toContain('Accept-Encoding');
  });
});

test('literal search is correct, also where it must avoid quadratic time', () => {
  const text = `${'ab'.repeat(30_000)}c${'a'.repeat(60_000)}`;
  for (const wanted of [`${'ab'.repeat(100)}c`, 'a'.repeat(500), `c${'a'.repeat(499)}`, text]) {
    expect(containsText(text, wanted)).toBe(true);
  }
  for (const wanted of [`b${'a'.repeat(499)}`, `${'ba'.repeat(100)}c`, `${text}a`]) {
    expect(containsText(text, wanted)).toBe(false);
  }
});
