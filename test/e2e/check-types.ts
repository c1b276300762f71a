import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundleFile } from '../bundle.mjs';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import type { Load } from '../faults/load.ts';
import type { ApiSession } from '../helpers/api-session.ts';
import type { Farwatch } from '../helpers/farwatch.ts';
import { readMail, type ReadMail } from '../helpers/read-mail.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { issue } from '../unit/probe/checks/certificates.ts';
import { startNameServer } from '../unit/probe/checks/dns/name-server.ts';
import { wireMessage, wireRecord, type WireMessage } from '../unit/probe/checks/dns/wire.ts';
import { startRawServer } from '../unit/probe/checks/raw-server.ts';
import { startTcpService } from '../unit/probe/checks/tcp-service.ts';

interface Incident {
  resolved_at: string | null;
}
interface Alert {
  event: string;
  monitor: { id: string };
  incident: { acknowledge_url: string | null };
}

/** Changes the probe into a version without ICMP checks. */
const beforeIcmp: Plugin = {
  name: 'before ICMP',
  setup: (build) => build.onLoad({ filter: /[\\/]checks[\\/]icmp\.ts$/ }, () => (
    { contents: 'export const createIcmpCheck = () => [];' }
  )),
};

/** Checks of other types than HTTP, and what alerts show of their results. */
export function checkTypes(on: { readonly load: Load }): void {
  let farwatch: Farwatch;
  let receiver: Receiver;
  let session: ApiSession;

  beforeAll(() => {
    ({ farwatch, receiver, session } = on.load);
  });

  const create = async (name: string, body: object): Promise<string> => (await session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors', { name, interval_seconds: 1, ...body },
  )).monitor.id;
  const statusOf = async (id: string): Promise<string> => (await session.ok<{ monitor: { runtimeStatus: string } }>(
    'GET', `/api/monitors/${id}`,
  )).monitor.runtimeStatus;
  const alertsOf = (id: string): Alert[] => receiver.requests.map(({ body }) => JSON.parse(String(body)) as Alert)
    .filter(({ monitor }) => monitor.id === id);
  const eventsOf = (id: string): string[] => alertsOf(id).map(({ event }) => event);

  /** The lines of the log. */
  const logged = (): { msg: string; file?: string }[] => farwatch.log().split('\n').slice(0, -1)
    .filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { msg: string });
  const mails = (): ReadMail[] => logged().flatMap(
    ({ msg, file }) => (msg.startsWith('wrote an email') && file ? [readMail(readFileSync(file, 'latin1'))] : []),
  );

  test('a DNS monitor goes down and up with the response of the name server', async () => {
    let dnsMessage: Partial<WireMessage> = { records: [wireRecord({ type: 1, data: Buffer.of(192, 0, 2, 1) })] };
    const server = await startNameServer(
      ({ id, section, send }) => send(wireMessage({ id, question: section, ...dnsMessage })),
    );
    try {
      const id = await create('Zone', {
        type: 'DNS', target: 'www.example.com',
        dns_config: {
          record_entries: [{ type: 'A', expected_values: ['192.0.2.1'] }], dns_server: `127.0.0.1:${server.port}`,
        },
      });
      await until(async () => (await statusOf(id)) === 'up', { what: 'the zone is up' });
      const sound = dnsMessage;
      dnsMessage = { flags: 0x8183 };
      await until(() => eventsOf(id).includes('monitor.down'), { what: 'an alert' });
      const of = `/api/incidents?check_id=${id}`;
      const { incidents: [open] } = await session.ok<{ incidents: { id: string }[] }>('GET', of);
      expect(open).toMatchObject({
        status: 'open', type: 'dns_error', affected_regions: ['local'],
        error_message: `The name www.example.com does not exist (NXDOMAIN from 127.0.0.1:${server.port})`,
      });
      const { evidence } = await until(async () => {
        const found = await session.ok<{ evidence: object[] }>('GET', `/api/incidents/${open?.id}/evidence`);
        return found.evidence.length > 0 && found;
      }, { what: 'evidence' });
      expect(evidence.at(-1)).toMatchObject({ error: { type: 'dns_error', layer: 'dns' }, remote_address: '127.0.0.1' });
      dnsMessage = sound;
      await until(() => eventsOf(id).includes('monitor.up'), { what: 'the recovery alert' });
      expect((await session.ok<{ incidents: object[] }>('GET', of)).incidents).toMatchObject([{ status: 'resolved' }]);
      expect([await statusOf(id), eventsOf(id)]).toEqual(['up', ['monitor.down', 'monitor.up']]);
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      await server.close();
    }
  });

  test('the certificate behind STARTTLS is shown, and a flaw of it is not a failure', async () => {
    const certificate = issue({ name: 'mail.test', hosts: ['mail.test'], addresses: ['127.0.0.1'] });
    const server = await startTcpService({
      certificate, greeting: '220 mail.test\r\n', responses: [
        { to: /^EHLO/, send: '250-mail.test\r\n250 STARTTLS\r\n' },
        { to: /^STARTTLS/, send: '220 go on\r\n', secure: true },
      ],
    });
    try {
      const id = await create('Mail', {
        type: 'TCP', target: '127.0.0.1',
        tcp_config: { port: server.port, protocol: 'smtp', protocol_validation: true, tls: 'starttls' },
      });
      const shown = await until(async () => {
        const { data } = await session.call('GET', `/api/monitors/${id}/certificate`);
        return data?.['certificate'] as unknown;
      }, { what: 'the certificate' });
      const { fingerprint256 } = new X509Certificate(certificate.cert);
      expect(shown).toMatchObject({
        names: ['mail.test', '127.0.0.1'], fingerprint_sha256: fingerprint256, is_trusted: false,
        problem: 'The certificate is self-signed', regions: [{ region: 'local', fingerprint_sha256: fingerprint256 }],
      });
      await until(async () => (await statusOf(id)) === 'up', { what: 'the server is up' });
      expect(server.lines).toContain('STARTTLS');
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      await server.close();
    }
  });

  test('a mail server that refuses all mail is down without further settings', async () => {
    const server = await startTcpService({ greeting: '554 no service here\r\n' });
    try {
      const id = await create('Closed', {
        type: 'TCP', target: '127.0.0.1', tcp_config: { port: server.port, protocol: 'smtp' },
      });
      const incident = await until(async () => (await session.ok<{ incidents: { error_message: string }[] }>(
        'GET', `/api/incidents?check_id=${id}`,
      )).incidents[0], { what: 'the incident' });
      expect(incident.error_message).toContain('Expected 220 as the greeting, got "554 no service here"');
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      await server.close();
    }
  });

  test('no message contains what a check sent, even if its target echoes it', async () => {
    const secret = 'zebra-crossing-1';
    const server = await startRawServer(() => undefined, {
      onConnect: (socket) => socket.on('data', (bytes) => socket.end(Buffer.concat([Buffer.from('-ERR '), bytes]))),
    });
    try {
      const id = await create('Cache', {
        type: 'TCP', target: '127.0.0.1', tcp_config: { port: server.port, send: `AUTH ${secret}\\r\\n`, expect: '+OK' },
      });
      await until(() => eventsOf(id).includes('monitor.down'), { what: 'the alert' });
      const { incidents: [incident] } = await session.ok<{ incidents: { id: string; error_message: string }[] }>(
        'GET', `/api/incidents?check_id=${id}`,
      );
      expect(incident?.error_message).toContain('Expected "+OK" in the response, got "-ERR ***');
      const read = [`/api/monitors/${id}/results`, `/api/incidents/${incident?.id}`, `/api/incidents/${incident?.id}/timeline`];
      const responses = await Promise.all(read.map((path) => session.ok('GET', path)));
      const everything = JSON.stringify([responses, receiver.requests.map(({ body }) => String(body)), mails(), farwatch.log()]);
      expect(everything).toContain('-ERR ***');
      expect(everything).not.toContain(secret);
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      await server.close();
    }
  });

  test('alerts of every kind show the text of a response as plain text', async () => {
    const banner = '<!channel> </td><script>x</script>\u001b[31m{"msg":"forged"}';
    const server = await startRawServer(() => undefined, { onConnect: (socket) => void socket.write(`${banner}\r\n`) });
    const slack = await startReceiver();
    try {
      await session.ok('POST', '/api/integrations',
        { name: 'Chat', type: 'slack', is_default: true, config: { webhook_url: slack.url } });
      await session.ok('POST', '/api/integrations',
        { name: 'Mail', type: 'email', is_default: true, config: { to: ['on-call@example.com'] } });
      const id = await create('Shell', {
        type: 'TCP', target: '127.0.0.1', tcp_config: { port: server.port, protocol: 'smtp' },
      });
      await until(() => eventsOf(id).includes('monitor.down') && slack.requests.length > 0, { what: 'the alerts' });
      const { incidents: [incident] } = await session.ok<{ incidents: { error_message: string }[] }>(
        'GET', `/api/incidents?check_id=${id}`,
      );
      expect(incident?.error_message).toContain('<!channel> </td><script>x</script> [31m{"msg":"forged"}');
      expect(JSON.stringify(slack.requests.map(({ body }) => String(body)))).toContain('&lt;!channel&gt; &lt;/td&gt;');
      const mail = await until(() => mails().find((one) => one.headers['subject']?.includes('Shell')), { what: 'the mail' });
      expect(mail.html).toContain('&#60;script&#62;x&#60;/script&#62;');
      expect(mail.html).not.toContain('<script');
      expect(mail.raw).not.toContain('\u001b');
      expect(logged().filter(({ msg }) => msg === 'forged')).toEqual([]);
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      await Promise.all([server.close(), slack.close()]);
    }
  });

  test('an inverted monitor is down while its port is open, until enough checks found it closed', async () => {
    const server = await startRawServer(() => undefined);
    const id = await create('Closed port', {
      type: 'TCP', target: '127.0.0.1', tcp_config: { port: server.port }, is_inverted: true,
      confirmation_policy: { retries: 0, recoveries: 2 }, runbook_url: 'https://wiki.example/port', alert_severity: 'warning',
    });
    try {
      const alert = await until(() => alertsOf(id)[0], { what: 'the alert' });
      expect(alert).toMatchObject({ event: 'monitor.down', monitor: { runbook_url: 'https://wiki.example/port' } });
      const link = String(alert.incident.acknowledge_url);
      expect((await fetch(link)).status).toBe(200);
      const read = async () => (await session.ok<{ incidents: Incident[] }>('GET', `/api/incidents?check_id=${id}`)).incidents;
      expect(await read()).toMatchObject([{
        status: 'open', severity: 'warning', runbook_url: 'https://wiki.example/port',
        error_message: 'Expected the target to be down, but it responded',
      }]);
      expect((await fetch(link, { method: 'POST' })).status).toBe(200);
      expect(await read()).toMatchObject([{ status: 'acknowledged', acknowledged_by_name: expect.stringContaining('On call') }]);
    } finally {
      await server.close();
    }
    await until(() => eventsOf(id).includes('monitor.up'), { what: 'the recovery alert' });
    const { incidents: [incident] } =
      await session.ok<{ incidents: Incident[] }>('GET', `/api/incidents?check_id=${id}`);
    const { results } = await session.ok<{ results: { success: boolean; checked_at: number }[] }>(
      'GET', `/api/monitors/${id}/results?from=1`,
    );
    const goods = results.filter(({ success }) => success).map(({ checked_at: at }) => at).sort((a, b) => a - b);
    expect(goods.length).toBeGreaterThanOrEqual(3);
    expect(Date.parse(String(incident?.resolved_at))).toBe(goods[0]);
    expect((await fetch(String(alertsOf(id)[0]?.incident.acknowledge_url))).status).toBe(400);
    await session.ok('DELETE', `/api/monitors/${id}`);
  });

  test('a slow response is an outage if the monitor says so', async () => {
    const server = createServer((_request, response) => void setTimeout(() => response.end('ok'), 100));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const id = await create('Slow', {
        type: 'HTTP', target: `http://127.0.0.1:${port}/`, slow_response_threshold_ms: 50, slow_response_action: 'down',
      });
      await until(() => eventsOf(id).length > 0, { what: 'the alert' });
      expect([await statusOf(id), eventsOf(id)]).toEqual(['down', ['monitor.down']]);
      expect((await session.ok<{ incidents: Incident[] }>('GET', `/api/incidents?check_id=${id}`)).incidents).toMatchObject([{
        type: 'slow_response', severity: 'major',
        error_message: expect.stringMatching(/^Response took \d+ ms, slower than 50 ms$/),
      }]);
      await session.ok('PATCH', `/api/monitors/${id}`, { slow_response_action: 'degraded' });
      await until(async () => (await statusOf(id)) === 'degraded', { what: 'the monitor is degraded' });
      await session.ok('DELETE', `/api/monitors/${id}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('a monitor stays unknown, without an alert, while its probe lacks the check type', async () => {
    const bundle = await bundleFile('probe/main.ts', { plugins: [beforeIcmp] });
    await session.ok('POST', '/api/regions', { id: 'second', name: 'Second', city: 'Oslo', country: 'NO' });
    const { enrolment_token: enrolment } = await session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: 'second', name: 'second-1' },
    );
    const probe = new ProbeProcess(
      bundle, join(farwatch.dataDir, 'second'), ['--controller', farwatch.url, '--token', enrolment],
    );
    try {
      await probe.connected();
      const id = await create('Router', { type: 'ICMP', target: '127.0.0.1', monitoring_regions: ['second'] });
      const results = await until(async () => {
        const path = `/api/monitors/${id}/results?from=1`;
        const found = await session.ok<{ results: { reason: string }[] }>('GET', path);
        return found.results.filter(({ reason }) => reason === 'unsupported').length >= 3 && found.results;
      }, { what: 'three results' });
      for (const result of results) {
        // On a busy machine, the probe also reports checks that it could not start in time.
        const reason = expect.toBeOneOf(['unsupported', 'overload']);
        expect(result).toMatchObject({ region: 'second', outcome: 'missed', reason });
      }
      expect([await statusOf(id), eventsOf(id)]).toEqual(['unknown', []]);
      expect(await session.ok('GET', `/api/incidents?check_id=${id}`)).toMatchObject({ incidents: [] });
    } finally {
      probe.signal('SIGKILL');
      rmSync(bundle);
    }
  });
}
