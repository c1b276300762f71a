import { connect, nkeyAuthenticator } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../helpers/certificate.ts';
import { natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';

describe.each(natsVersions())('a server with a certificate, on %s', (version) => {
  const certificate = makeCertificate({ names: ['nats.example', 'localhost'] });
  let nats: TestNats;
  const seed = () => new TextEncoder().encode(nats.controllerSeed);
  const port = () => new URL(nats.url).port;

  beforeAll(async () => {
    nats = await startNats({ version, tls: certificate });
  });
  afterAll(() => nats?.stop());

  test('encrypts connections to tls://, and clients can verify it', async () => {
    const nc = await connect({
      servers: `tls://localhost:${port()}`, authenticator: nkeyAuthenticator(seed()),
      tls: { ca: certificate.cert },
    });
    await nc.flush();
    await nc.close();
    const foreign = makeCertificate({ names: ['localhost'] });
    const distrusting = connect({
      servers: `tls://localhost:${port()}`, authenticator: nkeyAuthenticator(seed()),
      tls: { ca: foreign.cert }, maxReconnectAttempts: 0,
    });
    await expect(distrusting).rejects.toThrow();
  });

  test('also serves local processes on loopback without TLS, where its name is not valid', async () => {
    const nc = await connect({ servers: nats.url, authenticator: nkeyAuthenticator(seed()), tls: null });
    await nc.flush();
    await nc.close();
  });
});
