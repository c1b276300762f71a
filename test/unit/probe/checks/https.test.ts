import { afterEach, describe, expect, test } from 'vitest';
import type { CheckContext, Finding } from '../../../../probe/checks/check.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { CheckRegistry } from '../../../../probe/checks/registry.ts';
import type { HttpSpec } from '../../../../shared/contracts/check-spec.ts';
import { tlsFacts } from '../../../../shared/contracts/result.ts';
import { systemClock } from '../../../../shared/time.ts';
import { buildHttpSpec } from '../build.ts';
import { issue, type Issued } from './certificates.ts';
import { startRawServer, type RawServer } from './raw-server.ts';

const DAY_MS = 86_400_000;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const authority = issue({ name: 'Test Root', isAuthority: true });
const untrusted = issue({ name: 'Strange Root', isAuthority: true });

const servers: RawServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(certificate: Issued): Promise<RawServer> {
  const server = await startRawServer(
    (socket) => socket.end(OK), { tls: { cert: certificate.cert, key: certificate.key } },
  );
  servers.push(server);
  return server;
}

function check(spec: Partial<HttpSpec>, timeoutMs = 60_000): Promise<Finding> {
  const context: CheckContext = {
    clock: systemClock, allowAddress: () => true, version: '1', trust: new Trust([authority.cert]),
    resolver: { resolve: (_host, family) => Promise.resolve(
      family === 4 ? { ok: true, addresses: ['127.0.0.1'] } : { ok: false, code: 'ENODATA' },
    ) },
  };
  return new CheckRegistry(context).run(buildHttpSpec(spec), timeoutMs);
}

describe('an HTTPS check', () => {
  test('verifies name and chain, and reports the certificate', async () => {
    const until = new Date(Date.now() + 20 * DAY_MS);
    const server = await serve(issue({ name: 'good.test', hosts: ['good.test'], by: authority, until }));
    const finding = await check({ url: `https://good.test:${server.port}/` });
    expect(finding).toMatchObject({ outcome: 'success', status_code: 200 });
    expect(finding.timings?.tls).toBeGreaterThan(0);
    const facts = tlsFacts.parse(finding.tls?.facts());
    expect(facts).toMatchObject({
      valid: true, issuer: 'CN=Test Root', subject: 'CN=good.test', protocol: 'TLSv1.3', names: ['good.test'],
      more_names: 0, problem: null, key: 'EC P-256', weak_signature: null,
      expires_at: Math.floor(until.getTime() / 1000) * 1000,
    });
    expect(facts.valid_from).toBeLessThan(Date.now());
    expect(facts.fingerprint256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  test('verifies an IP address against the addresses of the certificate', async () => {
    const server = await serve(issue({ name: 'by address', addresses: ['127.0.0.1'], by: authority }));
    expect(await check({ url: `https://127.0.0.1:${server.port}/` })).toMatchObject({
      outcome: 'success',
    });
    expect(await check({ url: `https://other.test:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'ssl_error' },
    });
  });

  test.each<[string, Issued, RegExp]>([
    ['expired', issue({
      name: 'old', hosts: ['bad.test'], by: authority, from: new Date(Date.UTC(2020, 0, 1)),
      until: new Date(Date.UTC(2021, 4, 6)),
    }), /^The certificate expired on 2021-05-06$/],
    [
      'not valid yet',
      issue({ name: 'new', hosts: ['bad.test'], by: authority, from: new Date(Date.now() + DAY_MS) }),
      /^The certificate is not valid yet$/,
    ],
    [
      'for another host', issue({ name: 'other', hosts: ['other.test'], by: authority }),
      /^The certificate is not valid for bad\.test$/,
    ],
    ['self-signed', issue({ name: 'bad.test', hosts: ['bad.test'] }), /^The certificate is self-signed$/],
    [
      'by an authority that nobody trusts', issue({ name: 'bad.test', hosts: ['bad.test'], by: untrusted }),
      /^The certificate chain is incomplete/,
    ],
    [
      'with a NUL and markup in its name',
      issue({ name: 'bad.test\0<script>\u001b[31m\r\n', hosts: ['bad.test\0.evil.test'], by: authority }),
      /^The certificate is not valid for bad\.test$/,
    ],
  ])('fails as ssl_error before sending anything if the certificate is %s', async (
    _what, certificate, message,
  ) => {
    const server = await serve(certificate);
    const finding =
      await check({ url: `https://bad.test:${server.port}/`, headers: { Authorization: 'Bearer secret' } });
    expect(finding).toMatchObject({ outcome: 'failure', error: { type: 'ssl_error' } });
    expect(finding.error?.message).toMatch(message);
    expect(server.received.join('')).not.toContain('secret');
    const facts = tlsFacts.parse(finding.tls?.facts());
    expect(facts).toMatchObject({ valid: false, problem: { message: finding.error?.message } });
    // eslint-disable-next-line no-control-regex
    expect([facts.subject, ...(facts.names ?? [])].join('')).not.toMatch(/[\0\r\n\u001b]/);
  });

  test('reports an invalid certificate without failing if verify_ssl is off', async () => {
    const server = await serve(issue({ name: 'self', hosts: ['x.test'] }));
    const finding = await check({ url: `https://bad.test:${server.port}/`, verify_ssl: false });
    expect(finding.outcome).toBe('success');
    expect(finding.tls?.facts()).toMatchObject({
      valid: false,
      problem: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'The certificate is self-signed' },
    });
  });

  test('fails as ssl_error if the server does not speak TLS', async () => {
    const server = await startRawServer(
      () => undefined, { onConnect: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    );
    servers.push(server);
    expect(await check({ url: `https://bad.test:${server.port}/` })).toMatchObject({
      outcome: 'failure', error: { type: 'ssl_error' },
    });
  });

  test('fails as ssl_error if the certificate chain is a megabyte long', async () => {
    const hosts = Array.from({ length: 2000 }, (_, at) => `h${at}.some-longer-name.test`);
    const leaf = issue({ name: 'bad.test', hosts: ['bad.test'], by: authority });
    const link = issue({ name: 'link', hosts, by: authority });
    const chain = leaf.cert + link.cert.repeat(Math.ceil(1_400_000 / link.cert.length));
    for (const verify_ssl of [true, false]) {
      const server = await serve({ ...leaf, cert: chain });
      const { outcome, error } = await check({ url: `https://bad.test:${server.port}/`, verify_ssl });
      expect([outcome, error?.type, error?.message]).toEqual(['failure', 'ssl_error', 'TLS failed: excessive message size']);
    }
  });

  test('ends at the deadline if the handshake never ends', async () => {
    const server = await startRawServer(() => undefined);
    servers.push(server);
    expect(await check({ url: `https://bad.test:${server.port}/` }, 150)).toMatchObject({
      outcome: 'failure',
      error: { type: 'timeout', message: 'No response within 150 ms (in the TLS handshake)' },
    });
  });
});
