import { createServer, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { X509Certificate } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Load } from '../faults/load.ts';
import { makeCertificate, type Certificate } from '../helpers/certificate.ts';
import { until } from '../helpers/until.ts';

interface CertificateView {
  names: string[];
  valid_to: number;
  fingerprint_sha256: string;
  is_trusted: boolean;
  problem: string | null;
  key: string;
  regions: { region: string; fingerprint_sha256: string; checked_at: number }[];
}

const DAY_MS = 86_400_000;
const SELF_SIGNED = 'The certificate is self-signed';

/** The certificates of monitored servers. */
export function certificates(on: { readonly load: Load }): void {
  let server: Server;
  let monitorId = '';

  afterAll(() => void server?.close());

  async function serve(certificate: Certificate): Promise<number> {
    server = createServer(certificate, (socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  const read = async (): Promise<CertificateView> =>
    (await on.load.session.ok<{ certificate: CertificateView }>('GET', `/api/monitors/${monitorId}/certificate`)).certificate;
  const fingerprintOf = ({ cert }: Certificate): string => new X509Certificate(cert).fingerprint256;

  /** Subjects of the sent mails, without the date and the remaining hours. */
  const subjects = (): string[] => on.load.receiver.requests.map(({ body }) => String(body))
    .filter((body) => body.includes(monitorId))
    .map((body) => (JSON.parse(body) as { subject: string }).subject.replace(/ on .*/, ''));

  async function nextChecks(count: number): Promise<void> {
    const since = Date.now();
    await until(async () => {
      const { results } = await on.load.session.ok<{ results: { checked_at: number }[] }>(
        'GET', `/api/monitors/${monitorId}/results?from=${since}`,
      );
      return results.length >= count;
    }, { what: `${count} further checks` });
  }

  test('each certificate is shown and causes one warning, even after a crash', async () => {
    const first = makeCertificate({ names: ['shop.test', '127.0.0.1'] });
    const port = await serve(first);
    const { monitor } = await on.load.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: `https://127.0.0.1:${port}/`, interval_seconds: 1,
      ssl_monitoring: { enabled: true }, http_config: { verify_ssl: false },
    });
    monitorId = monitor.id;
    await until(() => subjects().length >= 2, { what: 'both warnings' });
    const flaw = `[TLS] Shop — ${SELF_SIGNED}`;
    const expiry = '[TLS] Shop — certificate expires';
    expect(subjects()).toEqual([flaw, expiry]);
    const shown = await read();
    expect(shown).toMatchObject({
      names: ['shop.test', '127.0.0.1'], fingerprint_sha256: fingerprintOf(first), is_trusted: false,
      problem: SELF_SIGNED, key: 'EC P-256', regions: [{ region: 'local', fingerprint_sha256: fingerprintOf(first) }],
    });

    await on.load.farwatch.kill9All();
    await on.load.farwatch.start();
    await nextChecks(3);
    // The kill may repeat an alert that had just been sent.
    expect([...new Set(subjects())]).toEqual([flaw, expiry]);
    const before = subjects().length;
    expect((await read()).regions[0]?.checked_at).toBeGreaterThan(shown.regions[0]?.checked_at as number);

    const second = makeCertificate({ names: ['127.0.0.1'], notAfter: Date.now() + 90 * DAY_MS });
    server.setSecureContext(second);
    await until(async () => (await read()).fingerprint_sha256 === fingerprintOf(second), { what: 'the new one' });
    await until(() => subjects().length > before, { what: 'a warning of the new one' });
    await nextChecks(2);
    expect(subjects().slice(before)).toEqual([flaw]);
    const incidents = await on.load.session.ok<{ incidents: unknown[] }>('GET', `/api/incidents?check_id=${monitorId}`);
    expect(incidents.incidents).toEqual([]);
  });
}
