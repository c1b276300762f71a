import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TlsOptions, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { NameMatches } from '../../../../probe/checks/tls/name-matches.ts';
import { connectSecured, type TlsPeer } from '../../../../probe/checks/tls/peer.ts';
import { certificateIn } from '../../../../probe/checks/tls/shown-certificate.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { tlsFacts, type TlsFacts } from '../../../../shared/contracts/result.ts';
import { issue, type Issued } from './certificates.ts';

const authority = issue({ name: 'Test Root', isAuthority: true });
const trust = new Trust([authority.cert]);
const OLD = { ciphers: 'DEFAULT:@SECLEVEL=0' } as const;

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** The peer seen by a client, or the error that ends the handshake. */
async function connectTo(
  { cert, key }: Issued, options: { host?: string; server?: TlsOptions; isStrict?: boolean } = {},
): Promise<TlsPeer> {
  const server = createServer({ cert, key, ...options.server }, (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    opened.push({ close: () => socket.destroy() });
  });
  server.on('tlsClientError', () => undefined);
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const context = options.isStrict ? trust.context : trust.lenient;
  return new Promise((resolve, reject) => {
    const socket = connectSecured({ host: '127.0.0.1', port, context }, options.host ?? 'a.test', resolve);
    socket.on('error', reject);
    opened.push({ close: () => socket.destroy() });
  });
}

/** As serialized for sending. */
const factsOf = (peer: TlsPeer): TlsFacts => tlsFacts.parse(JSON.parse(JSON.stringify(peer.facts())));

describe('the peer of a TLS connection', () => {
  test.each<[string, string[], string[], string, boolean]>([
    ['its own name', ['a.test'], [], 'a.test', true],
    ['its own name with the final dot', ['a.test'], [], 'a.test.', true],
    ['another name', ['b.test'], [], 'a.test', false],
    ['a wildcard', ['*.a.test'], [], 'x.a.test', true],
    ['a wildcard one level higher', ['*.a.test'], [], 'y.x.a.test', false],
    ['the common name, since there is no other', [], [], 'CN', true],
    ['the common name beside others', ['b.test'], [], 'CN', false],
    ['an address', [], ['127.0.0.1'], '127.0.0.1', true],
    ['an address written as a name', ['127.0.0.1'], [], '127.0.0.1', false],
    ['another address', [], ['127.0.0.2'], '127.0.0.1', false],
    ['a name with a NUL in it', ['a.test\0.evil.test'], [], 'a.test', false],
  ])('is matched against its name: %s', async (_what, hosts, addresses, host, isValid) => {
    const certificate = issue({ name: 'CN', hosts, addresses, by: authority });
    const { problem } = await connectTo(certificate, { host, isStrict: true });
    expect(problem).toBe(isValid ? null : 'ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is identified by the certificate in a %s session', async (version) => {
    const { cert, key } = issue({ name: 'x', hosts: ['a.test'], by: authority });
    const server = createServer({ cert: cert + authority.cert, key, minVersion: version, maxVersion: version });
    opened.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    opened.push({ close: () => socket.destroy() });
    await once(socket, 'secureConnect');
    expect(certificateIn(socket.getSession())).toEqual(new X509Certificate(cert).raw);
    for (const session of [undefined, Buffer.alloc(0), randomBytes(40)]) expect(certificateIn(session)).toBeNull();
  });

  test('seen again is matched against its name without being parsed', async () => {
    const [one, other] = [0, 1].map(() => issue({ name: 'x', hosts: ['a.test'], by: authority }));
    const problemOf = async (shown: Issued | undefined, host: string) =>
      (await connectTo(shown as Issued, { host, isStrict: true })).problem;
    for (let times = 0; times < 2; times += 1) {
      expect(await problemOf(one, 'a.test')).toBeNull();
      expect(await problemOf(one, 'b.test')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
      expect(await problemOf(other, 'a.test')).toBeNull();
    }
    const names = new NameMatches();
    const { raw } = new X509Certificate((one as Issued).cert);
    expect(names.isFor('a.test', raw, 'print')).toBe(true);
    expect(names.isFor('a.test', Buffer.from('no certificate'), 'print')).toBe(true);
    expect(names.isFor('b.test', Buffer.from('no certificate'), 'print')).toBe(false);
  });

  test('has a hash that changes only with certificate, problem and protocol', async () => {
    const [one, other] = [0, 1].map(() => issue({ name: 'x', hosts: ['a.test'], by: authority }));
    const seals = await Promise.all([
      connectTo(one as Issued), connectTo(one as Issued, { isStrict: true }), connectTo(other as Issued),
      connectTo(one as Issued, { host: 'b.test' }), connectTo(one as Issued, { server: { maxVersion: 'TLSv1.2' } }),
    ]).then((peers) => peers.map(({ hash }) => hash));
    expect(seals[0]).toBe(seals[1]);
    expect(new Set(seals).size).toBe(4);
  });

  test.each<[string, Parameters<typeof issue>[0], Partial<TlsFacts>]>([
    ['RSA', { name: 'x', keyOf: 2048 }, { key: 'RSA 2048', weak_signature: null }],
    ['a short RSA key', { name: 'x', keyOf: 1024 }, { key: 'RSA 1024' }],
    ['a larger curve', { name: 'x', keyOf: 'secp384r1' }, { key: 'EC P-384' }],
    ['SHA-1 with ECDSA', { name: 'x', hash: 'sha1' }, { key: 'EC P-256', weak_signature: 'SHA-1' }],
    ['SHA-1 with RSA', { name: 'x', keyOf: 2048, hash: 'sha1' }, { weak_signature: 'SHA-1' }],
    ['MD5', { name: 'x', keyOf: 2048, hash: 'md5' }, { weak_signature: 'MD5' }],
  ])('reports key and signature: %s', async (_what, options, facts) => {
    expect(factsOf(await connectTo(issue(options), { server: OLD }))).toMatchObject(facts);
  });

  test('supports outdated protocols only if nothing must be verified', async () => {
    const server = { ...OLD, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    const certificate = issue({ name: 'x', hosts: ['a.test'], by: authority });
    expect(factsOf(await connectTo(certificate, { server }))).toMatchObject({ valid: true, protocol: 'TLSv1.1' });
    await expect(connectTo(certificate, { server, isStrict: true })).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
  });
});

describe('a hostile certificate', () => {
  test('with 9,000 names reports fifty of them and counts the rest', async () => {
    const hosts = Array.from({ length: 9000 }, (_, at) => `h${at}.t`);
    const peer = await connectTo(issue({ name: 'x', hosts, by: authority }), { host: 'h8999.t' });
    const facts = factsOf(peer);
    expect(facts).toMatchObject({ valid: true, more_names: 8950 });
    expect(facts.names).toEqual(hosts.slice(0, 50));
  });

  test('has control characters replaced by spaces and separators preserved', async () => {
    const hosts = ['a.test', 'b\0.test', 'c.test, DNS:d.test', 'e\u001b[31m\r\n.test', '"', '\\', 'f:g'];
    const name = 'x\0y\u001b[31m\r\n, O=Trusted';
    const { names, subject } = factsOf(await connectTo(issue({ name, hosts, by: authority })));
    expect(names).toEqual(['a.test', 'b .test', 'c.test, DNS:d.test', 'e [31m .test', '"', '\\', 'f:g']);
    // eslint-disable-next-line no-control-regex
    expect(subject).not.toMatch(/[\0-\x1f]/);
  });

  test('with texts of 20,000 characters has them truncated', async () => {
    const long = 'x'.repeat(20_000);
    const facts = factsOf(await connectTo(issue({ name: long, hosts: [long] })));
    expect(facts.subject).toBe(`CN=${'x'.repeat(253)}`);
    expect(facts.names).toEqual(['x'.repeat(253)]);
  });

  test('of more than 100 kB ends the handshake', async () => {
    const hosts = Array.from({ length: 60_000 }, (_, at) => `h${at}.some-longer-name.test`);
    await expect(connectTo(issue({ name: 'x', hosts }))).rejects.toMatchObject({
      code: 'ERR_SSL_EXCESSIVE_MESSAGE_SIZE',
    });
  });

  test('with dates outside any calendar has no dates', async () => {
    const until = new Date(Date.UTC(9999, 11, 31, 23, 59, 59));
    expect(factsOf(await connectTo(issue({ name: 'x', from: new Date(0), until })))).toMatchObject({
      valid_from: 0, expires_at: until.getTime(),
    });
  });
});
