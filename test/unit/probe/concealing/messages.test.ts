import { afterEach, describe, expect, test } from 'vitest';
import type { Assertion, CheckSpec } from '../../../../shared/contracts/check-spec.ts';
import { resultOf } from '../../../../probe/runner/result.ts';
import { buildAssignment, buildHttpSpec, buildTcpSpec } from '../build.ts';
import { closeServers, registryWith, serve } from '../checks/http-fixture.ts';

afterEach(closeServers);

const SECRET = 'zebra-crossing-1';
const registry = registryWith({});

/** The message in the result of a check on real sockets. */
async function messageOf(spec: CheckSpec): Promise<string> {
  const made = { scheduledAtMs: 1, startedAtMs: 1, attempt: 1, reason: 'schedule' as const };
  const result = resultOf(buildAssignment({ spec }), made, await registry.run(spec, 5000));
  expect(result.outcome).toBe('failure');
  return result.error?.message ?? '';
}

/** A web server that echoes the head and body of each request. */
async function serveEcho(head: (request: string) => string, body: (request: string) => string = () => '') {
  const { port } = await serve((socket, request) => {
    const content = Buffer.from(body(request));
    socket.write(`HTTP/1.1 ${head(request)}\r\nContent-Length: ${content.length}\r\nConnection: close\r\n\r\n`);
    socket.end(content);
  });
  return `http://127.0.0.1:${port}/`;
}

const valueOf = (request: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(request)?.[1]?.trim() ?? '';
const equals = (source: Assertion['source'], property?: string): Assertion =>
  ({ source, comparison: 'equals', target: 'fine', ...(property === undefined ? {} : { property }) });

describe('a result does not reveal what its check sent:', () => {
  test.each([
    ['what is sent over TCP', 'LOGIN ann zebra-crossing-1\r\n', '-ERR *** '],
    ['text between control characters', '\0ann\0zebra-crossing-1', '-ERR ***'],
    ['text that its quotation cuts', `${'x '.repeat(50)}zebra-crossing-1\r\n`, '-ERR ***…'],
  ])('%s', async (_name, send, said) => {
    const { port } = await serve(() => undefined, {
      onConnect: (socket) => socket.on('data', (bytes) => socket.end(Buffer.concat([Buffer.from('-ERR '), bytes]))),
    });
    const message = await messageOf(buildTcpSpec({ port, send, expect: '+OK' }));
    expect(message).toBe(`Expected "+OK" in the response, got "${said}"`);
  });

  test("a header value in an assertion's actual value", async () => {
    const url = await serveEcho((request) => `200 OK\r\nX-Echo: got ${valueOf(request, 'X-Own')}`);
    const spec = buildHttpSpec({ url, headers: { 'X-Own': SECRET }, assertions: [equals('header', 'X-Echo')] });
    expect(await messageOf(spec)).toBe('Expected header X-Echo to equal "fine", got "got ***"');
  });

  test('credentials, decoded and encoded', async () => {
    const url = await serveEcho(() => '200 OK', (request) => {
      const sent = valueOf(request, 'Authorization').replace('Basic ', '');
      return `${sent} is ${Buffer.from(sent, 'base64').toString()}`;
    });
    const headers = { Authorization: `Basic ${btoa(`ann:${SECRET}`)}` };
    expect(await messageOf(buildHttpSpec({ url, headers, assertions: [equals('body')] })))
      .toBe('Expected the body to equal "fine", got "*** is ***"');
  });

  test('a body, also when the quote is truncated within it', async () => {
    const url = await serveEcho(() => '200 OK', (request) => `${'.'.repeat(90)}${request.slice(request.indexOf('\r\n\r\n') + 4)}`);
    const spec = buildHttpSpec({ url, method: 'POST', body: `{"password":"${SECRET}"}`, assertions: [equals('body')] });
    expect(await messageOf(spec)).toBe(`Expected the body to equal "fine", got "${'.'.repeat(90)}***…"`);
  });

  test('tokens in redirects', async () => {
    const url = await serveEcho(() => '302 Found\r\nLocation: /login?ticket=abc#d');
    const loop = await messageOf(buildHttpSpec({ url, max_redirects: 1 }));
    expect(loop).toBe('More than 1 redirect, in a loop: /login?… → /login?…');
    const nowhere = await serveEcho(() => '302 Found\r\nLocation: http://[x/y?ticket=abc');
    expect(await messageOf(buildHttpSpec({ url: nowhere }))).toBe('A redirect has an invalid target: http://[x/y');
  });
});
