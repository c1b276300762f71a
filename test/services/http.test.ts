import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { excerptText } from '../../probe/checks/http/excerpt-text.ts';
import { CheckRegistry } from '../../probe/checks/registry.ts';
import { SystemResolver } from '../../probe/checks/network/resolver.ts';
import { Trust } from '../../probe/checks/tls/trust.ts';
import { systemClock } from '../../shared/time.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { buildHttpSpec } from '../unit/probe/build.ts';
import { keywordSpec } from '../unit/probe/checks/http-fixture.ts';
import { PAGE, startNginx } from './nginx.ts';

const certificate = makeCertificate({ names: ['localhost'] });
const context = {
  clock: systemClock, resolver: new SystemResolver(systemClock), allowAddress: () => true, version: '1',
  trust: new Trust([certificate.cert]),
};
const check = new CheckRegistry(context);

describe('an HTTP check of nginx', () => {
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  beforeAll(async () => {
    nginx = await startNginx(certificate);
  });
  afterAll(() => nginx?.stop());

  test.each(['http', 'https'] as const)('over %s finds keywords in a chunked, compressed page', async (scheme) => {
    const port = scheme === 'http' ? nginx.httpPort : nginx.httpsPort;
    const url = `${scheme}://localhost:${port}/page`;
    expect(await check.run(keywordSpec(['äpfel', 'in stock: 5'], { url }), 60_000))
      .toMatchObject({ outcome: 'success' });
    const finding = await check.run(keywordSpec(['sold out'], { url }), 60_000);
    expect(finding).toMatchObject({ error: { type: 'keyword_missing' } });
    const { head, body } = finding.observed as { head: string; body: string };
    expect(excerptText(head, body)).toBe(PAGE.slice(0, 4096));
    expect(head).toMatch(/Transfer-Encoding: chunked\r\n.*Content-Encoding: gzip/s);
  });

  test('times out on a page that trickles', async () => {
    const spec = buildHttpSpec({ url: `http://localhost:${nginx.httpPort}/drip` });
    expect(await check.run(spec, 500)).toMatchObject({
      outcome: 'failure', status_code: 200,
      error: { type: 'timeout', message: expect.stringContaining('reading the body') as string },
    });
  });

  test.each(['http', 'https'] as const)('over %s reads its response', async (scheme) => {
    const port = scheme === 'http' ? nginx.httpPort : nginx.httpsPort;
    const finding = await check.run(buildHttpSpec({ url: `${scheme}://localhost:${port}/a` }), 60_000);
    expect(finding).toMatchObject({ outcome: 'success', status_code: 200, remote_address: '127.0.0.1' });
    expect(finding.tls?.facts().valid ?? null).toBe(scheme === 'http' ? null : true);
  });
});
