import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { CheckContext, Finding } from '../../../../probe/checks/check.ts';
import { createTcpCheck } from '../../../../probe/checks/tcp.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { systemClock } from '../../../../shared/time.ts';
import type { TcpSpec } from '../../../../shared/contracts/check-spec.ts';
import { timings, tlsFacts } from '../../../../shared/contracts/result.ts';
import { drip } from '../../../helpers/drip.ts';
import { until } from '../../../helpers/until.ts';
import { buildTcpSpec } from '../build.ts';
import { issue } from './certificates.ts';
import { startRawServer, type RawServer } from './raw-server.ts';
import { startTcpService, type ScriptedResponse, type Script } from './tcp-service.ts';

const authority = issue({ name: 'Test Root', isAuthority: true });
const trusted = issue({ name: 'mail.test', hosts: ['mail.test'], by: authority });
const selfSigned = issue({ name: 'mail.test', hosts: ['mail.test'] });
const SMTP = '220 mail.test\r\n';
const EHLO: ScriptedResponse = { to: /^EHLO/, send: '250-mail.test\r\n250 STARTTLS\r\n' };
const STARTTLS: ScriptedResponse = { to: /^STARTTLS/, send: '220 go on\r\n', secure: true };

const servers: RawServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve<S extends RawServer>(starting: Promise<S>): Promise<S> {
  const server = await starting;
  servers.push(server);
  return server;
}
const service = (script: Script) => serve(startTcpService(script));

/** `mail.test` has the addresses ::1 and 127.0.0.1; no other name exists. */
function check(spec: Partial<TcpSpec>, { timeoutMs = 60_000, ...own }: Partial<CheckContext> & {
  timeoutMs?: number;
} = {}): Promise<Finding> {
  return createTcpCheck({
    clock: systemClock, allowAddress: () => true, version: '1', trust: new Trust([authority.cert]),
    resolver: { resolve: (host, family) => Promise.resolve(host === 'mail.test'
      ? { ok: true, addresses: [family === 4 ? '127.0.0.1' : '::1'] } : { ok: false, code: 'ENOTFOUND' }) },
    ...own,
  }).run(buildTcpSpec(spec), timeoutMs);
}

describe('a TCP check without validation', () => {
  test('only needs a connection', async () => {
    const { port } = await service({ greeting: 'go away\r\n' });
    const finding = await check({ port, protocol: 'smtp', protocol_validation: false });
    expect(finding).toMatchObject({
      outcome: 'success', degraded: false, status_code: null, error: null, remote_address: '127.0.0.1', tls: null,
    });
    expect(Object.keys(timings.parse(finding.timings))).toEqual(['connect']);
    expect(finding.response_time_ms).toBeGreaterThan(0);
  });

  test('fails if the port refuses connections', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    const { port } = await until(() => free.address() as AddressInfo | null);
    await new Promise((resolve) => free.close(resolve));
    expect(await check({ port, protocol_validation: false })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', layer: 'connect', message: 'Connection refused' },
    });
  });

  test('tries all addresses of a name, and reports the lookup time', async () => {
    const { port } = await service({ host: '::1' });
    const finding = await check({ host: 'mail.test', port, protocol_validation: false });
    expect(finding).toMatchObject({ outcome: 'success', remote_address: '::1' });
    expect(Object.keys(finding.timings ?? {})).toEqual(['dns', 'connect']);
  });

  test("reports the first address's failure if there is no route to the others", async () => {
    const { port, close } = await startTcpService({});
    await close();
    const resolver = { resolve: (_: string, family: 4 | 6) =>
      Promise.resolve({ ok: true as const, addresses: [family === 4 ? '127.0.0.1' : 'ff02::1'] }) };
    expect(await check({ host: 'two.test', port }, { resolver })).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message: 'Connection refused' },
    });
  });

  test('reports that a name does not exist', async () => {
    expect(await check({ host: 'none.test' })).toMatchObject({
      outcome: 'failure',
      error: { type: 'dns_error', layer: 'dns', message: 'The name none.test does not exist' },
    });
  });

  test('connects to no address denied by the guard', async () => {
    const server = await service({});
    const { port } = server;
    expect(await check({ port }, { allowAddress: () => false })).toMatchObject({
      outcome: 'missed', missed: 'blocked_target',
    });
    expect(server.connections).toBe(0);
  });

  test('leaves no connection open, even if the service keeps sending', async () => {
    let isClosed = false;
    const { port } = await serve(startRawServer(() => undefined, { onConnect: (socket) => {
      socket.on('close', () => (isClosed = true));
      const talk = () => void (socket.destroyed || socket.write('x'.repeat(100_000), talk));
      talk();
    } }));
    expect(await check({ port, protocol_validation: false })).toMatchObject({ outcome: 'success' });
    await until(() => isClosed);
  });

  test.each(['smtp', 'https'] as const)('includes the handshake of implicit TLS for %s', async (protocol) => {
    const { port } = await serve(startRawServer(() => undefined, { tls: trusted }));
    const finding = await check({ host: 'mail.test', port, protocol, protocol_validation: false, tls: 'implicit' });
    expect(finding.outcome).toBe('success');
    expect(tlsFacts.parse(finding.tls?.facts())).toMatchObject({
      valid: true, subject: 'CN=mail.test', issuer: 'CN=Test Root',
    });
    expect(Object.keys(timings.parse(finding.timings))).toEqual(['dns', 'connect', 'tls']);
  });
});

describe('a TCP check with TLS', () => {
  test.each<[string, Partial<TcpSpec>]>([
    ['a self-signed certificate', { host: 'mail.test' }], ['one for another name', { host: '127.0.0.1' }],
  ])('succeeds with %s and reports that it is not trusted', async (_what, spec) => {
    const { port } = await serve(startRawServer(
      () => undefined, { tls: spec.host === 'mail.test' ? selfSigned : trusted },
    ));
    const finding = await check({ ...spec, port, tls: 'implicit' });
    expect(finding.outcome).toBe('success');
    expect(finding.tls?.facts()).toMatchObject({ valid: false, subject: 'CN=mail.test' });
  });

  test('fails as ssl_error if the service does not use TLS', async () => {
    const { port } = await service({ greeting: SMTP });
    expect(await check({ port, tls: 'implicit' })).toMatchObject({
      outcome: 'failure', error: { type: 'ssl_error', layer: 'tls' }, tls: null,
    });
  });

  test('fails at its deadline if the handshake does not end', async () => {
    const { port } = await service({});
    expect(await check({ port, tls: 'implicit' }, { timeoutMs: 150 })).toMatchObject({
      error: { type: 'timeout', layer: 'tls', message: 'No response within 150 ms (in the TLS handshake)' },
    });
  });

  test('upgrades with STARTTLS, also without validation, and reads the certificate', async () => {
    const server = await service({ greeting: SMTP, responses: [EHLO, STARTTLS], certificate: trusted });
    const finding = await check({
      host: 'mail.test', port: server.port, protocol: 'smtp', tls: 'starttls', protocol_validation: false,
    });
    expect(finding.outcome).toBe('success');
    expect(finding.tls?.facts()).toMatchObject({ valid: true, protocol: 'TLSv1.3' });
    expect(Object.keys(timings.parse(finding.timings))).toEqual(['dns', 'connect', 'tls', 'first_byte']);
    await until(() => server.lines.includes('QUIT'));
    expect(server.lines).toEqual(['EHLO [127.0.0.1]', 'STARTTLS', 'EHLO [127.0.0.1]', 'QUIT']);
  });

  test.each([
    ['in the same packet', (socket: { write: (text: string) => void }) => {
      socket.write('220 go on\r\n250-mail.test\r\n250 AUTH PLAIN\r\n');
    }],
    ['in the next one', (socket: { write: (text: string) => void }) => {
      socket.write('220 go on\r\n');
      setImmediate(() => socket.write('250-mail.test\r\n250 AUTH PLAIN\r\n'));
    }],
  ])('fails if plain text follows the response to STARTTLS %s', async (_when, inject) => {
    const { port } = await serve(startRawServer(() => undefined, { onConnect: (socket) => {
      socket.write(SMTP);
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('EHLO')) socket.write(EHLO.send);
        if (chunk.includes('STARTTLS')) inject(socket);
      });
    } }));
    expect(await check({ port, protocol: 'smtp', tls: 'starttls' })).toMatchObject({
      outcome: 'failure', error: { type: 'ssl_error', layer: 'tls' },
    });
  });

  test('waits for the response to EHLO after STARTTLS, not for another greeting', async () => {
    const { port } = await service({
      greeting: SMTP, responses: [EHLO, STARTTLS], certificate: trusted, greetsAgain: true,
    });
    expect(await check({ port, protocol: 'smtp', tls: 'starttls' })).toMatchObject({
      error: { message: 'Expected 250 as the reply to EHLO, got "220 mail.test"' },
    });
  });
});

describe('a TCP check of a hostile service', () => {
  test('that greets only after TLS ends at the deadline', async () => {
    const { port } = await serve(startRawServer(() => undefined, { tls: trusted }));
    expect(await check({ port, protocol: 'imap' }, { timeoutMs: 150 })).toMatchObject({
      error: { type: 'timeout', layer: 'response', message: 'No response within 150 ms (waiting for the greeting)' },
    });
  });

  test('that drips its greeting forever ends at the deadline', async () => {
    const { port } = await serve(startRawServer(() => undefined, {
      onConnect: (socket) => void drip(socket, '220 mail', 5),
    }));
    expect(await check({ port, protocol: 'smtp' }, { timeoutMs: 200 })).toMatchObject({
      error: { type: 'timeout', layer: 'response' },
    });
  });

  test('that sends an endless greeting is cut off', async () => {
    let sent = 0;
    const { port } = await serve(startRawServer(() => undefined, { onConnect: (socket) => {
      const talk = () => {
        if (socket.destroyed) return;
        sent += 65_536;
        socket.write(Buffer.alloc(65_536, 0x32), talk);
      };
      talk();
    } }));
    expect(await check({ port, protocol: 'smtp' })).toMatchObject({
      error: {
        type: 'connection_error', layer: 'response', message: 'Expected the greeting, got a line longer than 4096 bytes',
      },
    });
    expect(sent).toBeLessThan(100_000_000);
  });

  test.each([
    ['before it greets', ''], ['in its greeting', '220-mail.test\r\n22'],
  ])('that closes %s fails', async (_when, greeting) => {
    const { port } = await serve(startRawServer(() => undefined, { onConnect: (socket) => socket.end(greeting) }));
    expect(await check({ port, protocol: 'smtp' })).toMatchObject({
      error: { type: 'connection_error', layer: 'response', message: 'Connection closed before a response arrived' },
    });
  });
});

describe('a generic TCP check', () => {
  const redis: Script = { responses: [{ to: /^PING$/, send: '+PONG\r\n' }] };

  test('sends and expects, without validation too', async () => {
    const { port } = await service(redis);
    const spec = { port, send: 'PING\r\n', expect: '+PONG', protocol_validation: false };
    expect(await check(spec)).toMatchObject({ outcome: 'success' });
    expect(await check({ ...spec, expect: '+PANG' }, { timeoutMs: 200 })).toMatchObject({
      outcome: 'failure',
      error: { type: 'keyword_missing', layer: 'content', message: 'Expected "+PANG" in the response, got "+PONG "' },
    });
  });

  test('sends arbitrary bytes', async () => {
    const server = await service({ responses: [{ to: /\u00ff\0/, send: '\u0000\u00fe' }] });
    const spec = { port: server.port, send: '\u00ff\0\r\n', expect: '\u0000\u00fe' };
    expect(await check(spec)).toMatchObject({ outcome: 'success' });
    expect(server.lines).toEqual(['\u00ff\0']);
  });

  test('reports the data received before the service closed', async () => {
    const { port } = await serve(startRawServer(() => undefined, { onConnect: (socket) => socket.end('busy') }));
    expect(await check({ port, expect: 'ready' })).toMatchObject({
      error: { type: 'keyword_missing', message: 'Expected "ready" in the response, got "busy"' },
    });
  });

  test('that receives nothing times out', async () => {
    const { port } = await service({});
    expect(await check({ port, expect: 'ready' }, { timeoutMs: 150 })).toMatchObject({
      error: { type: 'timeout', message: 'No response within 150 ms (waiting for the expected text)' },
    });
  });
});
