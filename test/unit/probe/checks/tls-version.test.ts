import { afterEach, expect, test } from 'vitest';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { CheckRegistry } from '../../../../probe/checks/registry.ts';
import { systemClock } from '../../../../shared/time.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { buildHttpSpec } from '../build.ts';
import { startRawServer, type RawServer } from './raw-server.ts';

const OLD = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
/** A handshake record with a TLS 1.1 server hello, whatever was offered. */
const OLD_HELLO = Buffer.concat([
  Buffer.from('160302002a', 'hex'), Buffer.from('020000260302', 'hex'), Buffer.alloc(32, 7), Buffer.from('00002f00', 'hex'),
]);

const servers: RawServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

test.each<[string, () => Promise<RawServer>]>([
  ['speaks TLS 1.1 and nothing newer', () => startRawServer(
    (socket) => void socket.end(), { tls: { ...makeCertificate({ names: ['127.0.0.1'] }), ...OLD } },
  )],
  ['chooses TLS 1.1 although it was not offered', () => startRawServer(
    () => undefined, { onConnect: (socket) => void socket.write(OLD_HELLO) },
  )],
])('a server that %s fails with a specific message', async (_what, start) => {
  const server = await start();
  servers.push(server);
  const check = new CheckRegistry({
    clock: systemClock, allowAddress: () => true, version: '1', trust: new Trust(),
    resolver: { resolve: () => Promise.resolve({ ok: false, code: 'ENODATA' }) },
  });
  const finding = await check.run(buildHttpSpec({ url: `https://127.0.0.1:${server.port}/` }), 60_000);
  expect(finding.error).toEqual({
    type: 'ssl_error', layer: 'tls', message: 'TLS failed: the server does not accept TLS 1.2 or 1.3',
  });
});
