import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../probe/checks/check.ts';
import { SystemResolver } from '../../probe/checks/network/resolver.ts';
import { createTcpCheck } from '../../probe/checks/tcp.ts';
import { Trust } from '../../probe/checks/tls/trust.ts';
import type { TcpProtocol, TcpSpec } from '../../shared/contracts/check-spec.ts';
import { systemClock } from '../../shared/time.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { buildTcpSpec } from '../unit/probe/build.ts';
import { startDovecot } from './dovecot.ts';
import { startNginx } from './nginx.ts';
import { startPostfix } from './postfix.ts';
import type { Service } from './service.ts';
import { startSshd } from './sshd.ts';
import { startVsftpd } from './vsftpd.ts';

const certificate = makeCertificate({ names: ['localhost'] });
const tcp = createTcpCheck({
  clock: systemClock, resolver: new SystemResolver(systemClock), allowAddress: () => true, version: '1',
  trust: new Trust([certificate.cert]),
});
const check = (spec: Partial<TcpSpec>): Promise<Finding> =>
  tcp.run(buildTcpSpec({ host: 'localhost', protocol_validation: true, ...spec }), 15_000);

const services: Service[] = [];
const ports: Record<string, number> = {};
beforeAll(async () => {
  const started = <S extends Service>(service: S): S => {
    services.push(service);
    return service;
  };
  // One after the other, because each may install its packages.
  const dovecot = started(await startDovecot(certificate));
  const postfix = started(await startPostfix(certificate));
  const nginx = started(await startNginx(certificate));
  Object.assign(ports, dovecot.ports, {
    smtp: postfix.port, smtps: postfix.tlsPort, http: nginx.httpPort, https: nginx.httpsPort,
    ssh: started(await startSshd()).port,
    ftp: started(await startVsftpd(certificate, { implicitTls: false })).port,
    ftps: started(await startVsftpd(certificate, { implicitTls: true })).port,
  });
});
afterAll(() => Promise.all(services.map((service) => service.stop())));
const portOf = (name: string): number => ports[name] as number;

describe.each<[string, TcpProtocol, TcpSpec['tls']]>([
  ['smtp', 'smtp', 'none'], ['smtp', 'smtp', 'starttls'], ['smtps', 'smtp', 'implicit'],
  ['pop3', 'pop3', 'none'], ['pop3', 'pop3', 'starttls'], ['pop3s', 'pop3', 'implicit'],
  ['imap', 'imap', 'none'], ['imap', 'imap', 'starttls'], ['imaps', 'imap', 'implicit'],
  ['ftp', 'ftp', 'none'], ['ftp', 'ftp', 'starttls'], ['ftps', 'ftp', 'implicit'],
  ['ssh', 'ssh', 'none'], ['http', 'http', 'none'], ['https', 'https', 'implicit'],
])('a TCP check of the real service at %s', (name, protocol, tls) => {
  test(`with ${protocol} and the TLS ${tls} succeeds and reads its certificate`, async () => {
    const finding = await check({ port: portOf(name), protocol, tls });
    expect(finding).toMatchObject({ outcome: 'success', error: null, remote_address: '127.0.0.1' });
    expect(finding.tls?.facts() ?? null).toEqual(tls === 'none' ? null : expect.objectContaining({
      valid: true, subject: 'CN=localhost', protocol: expect.stringMatching(/^TLSv1\.[23]$/),
    }));
    expect(Object.keys(finding.timings ?? {})).toEqual(tls === 'none'
      ? ['dns', 'connect', 'first_byte'] : ['dns', 'connect', 'tls', 'first_byte']);
  });
});

test.each<[string, TcpProtocol]>([
  ['smtp', 'pop3'], ['pop3', 'imap'], ['imap', 'ftp'], ['ftp', 'smtp'], ['ssh', 'http'], ['ssh', 'smtp'],
])('a TCP check of the real service at %s with protocol %s fails', async (name, protocol) => {
  expect(await check({ port: portOf(name), protocol })).toMatchObject({
    outcome: 'failure', error: { type: 'connection_error', layer: 'response' },
  });
});

test.each<[string, TcpSpec['tls']]>([['http', 'none'], ['https', 'implicit']])(
  'a generic TCP check of %s sends a request and finds its response', async (name, tls) => {
    const spec = { port: portOf(name), protocol: 'generic', tls, send: 'GET / HTTP/1.0\r\n\r\n' } as const;
    expect(await check({ ...spec, expect: 'Server: nginx' })).toMatchObject({ outcome: 'success' });
    expect(await check({ ...spec, expect: 'Server: apache' })).toMatchObject({
      error: { type: 'keyword_missing', layer: 'content', message: expect.stringContaining('got "HTTP/1.1 200 OK') },
    });
  },
);
