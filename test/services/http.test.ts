import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpCheck } from '../../probe/checks/http.ts';
import { SystemResolver } from '../../probe/checks/network/resolver.ts';
import { Trust } from '../../probe/checks/tls/trust.ts';
import { systemClock } from '../../shared/time.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { buildHttpSpec } from '../unit/probe/build.ts';
import { startNginx } from './nginx.ts';

const certificate = makeCertificate({ names: ['localhost'] });
const check = createHttpCheck({
  clock: systemClock, resolver: new SystemResolver(systemClock), allowAddress: () => true, version: '1',
  trust: new Trust([certificate.cert]),
});

describe('an HTTP check of nginx', () => {
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  beforeAll(async () => {
    nginx = await startNginx(certificate);
  });
  afterAll(() => nginx?.stop());

  test.each(['http', 'https'] as const)('by %s reads its answer', async (scheme) => {
    const port = scheme === 'http' ? nginx.httpPort : nginx.httpsPort;
    const finding = await check.run(buildHttpSpec({ url: `${scheme}://localhost:${port}/a` }), 60_000);
    expect(finding).toMatchObject({ outcome: 'success', status_code: 200, remote_address: '127.0.0.1' });
    expect(finding.tls?.valid ?? null).toBe(scheme === 'http' ? null : true);
  });
});
