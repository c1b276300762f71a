import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { AlertSender, destinationOf, down, HOSTILE, named } from '../helpers/vendor-alerts.ts';
import { startReceiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { root } from '../root.mjs';
import { ensureDebianPackages } from './packages.ts';
import { serviceFolder, startService, type Service } from './service.ts';

const sender = new AlertSender();
const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});
afterAll(() => sender.close());

interface ActiveAlert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: string;
  endsAt: string;
  status: { state: string };
}

/** Prometheus Alertmanager, which would end alerts after two seconds. */
async function startAlertmanager() {
  await ensureDebianPackages('prometheus-alertmanager');
  const [port, dir] = [await freePort(), serviceFolder('alertmanager')];
  services.push(await startService({
    program: '/usr/bin/prometheus-alertmanager', dir, ports: [port],
    args: [
      `--config.file=${join(dir, 'config.yml')}`, `--storage.path=${join(dir, 'data')}`, '--cluster.listen-address=',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    files: {
      'data/': '',
      'config.yml': 'global: {resolve_timeout: 2s}\nroute: {receiver: none, group_wait: 1s}\nreceivers: [{name: none}]\n',
    },
  }));
  const url = `http://127.0.0.1:${port}`;
  return { url, active: async () => (await fetch(`${url}/api/v2/alerts?active=true`)).json() as Promise<ActiveAlert[]> };
}

test('Alertmanager keeps an alert until its incident ends, whatever its resolve_timeout', { timeout: 120_000 }, async () => {
  const { url, active } = await startAlertmanager();
  const destination = destinationOf('alertmanager', { base_url: url });
  expect(await sender.send(destination, down)).toMatchObject([{ kind: 'sent', status: 200 }]);
  await until(async () => (await active()).length === 1, { what: 'the alert is active' });
  const [alert] = await active();
  expect(alert).toMatchObject({
    labels: { alertname: 'Farwatch_down', incident_id: down.incident.id, monitor: 'Shop', severity: 'critical' },
    annotations: { summary: '[DOWN] Shop — HTTP 503' }, startsAt: new Date(down.incident.started_at).toISOString(),
  });
  expect(Date.parse(alert?.endsAt ?? '')).toBeGreaterThan(Date.now() + 600_000);
  const resolved_at = Date.now();
  expect(await sender.send(destination, { ...down, event: 'monitor.up', incident: { ...down.incident, resolved_at } }))
    .toMatchObject([{ kind: 'sent' }]);
  await until(async () => (await active()).length === 0, { what: 'the alert has ended' });
  for (const hostile of [HOSTILE, HOSTILE.repeat(30)]) {
    expect(await sender.send(destination, named(hostile))).toMatchObject([{ kind: 'sent' }]);
  }
});

/** What an Apprise API server does with a request, by the same library; stateless. */
const APPRISE_SERVER = `
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
import apprise
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        notifier = apprise.Apprise()
        notifier.add(sent['urls'])
        if self.path != '/notify': status = 404
        elif len(notifier) == 0: status = 204
        else:
            done = notifier.notify(sent['body'], title=sent['title'], notify_type=sent['type'], body_format=sent['format'])
            status = 200 if done else 424
        self.send_response(status)
        self.end_headers()
    def log_message(self, *args): pass
HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
`;
const APPRISE = 'apprise==2.2.0';

async function startApprise(): Promise<string> {
  const packages = join(root, 'node_modules/.cache/farwatch-test/python', APPRISE);
  if (!existsSync(packages)) {
    execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', packages, APPRISE], { stdio: 'pipe' });
  }
  const [port, dir] = [await freePort(), serviceFolder('apprise')];
  services.push(await startService({
    program: 'python3', args: ['-c', `import sys\nsys.path.insert(0, ${JSON.stringify(packages)})\n${APPRISE_SERVER}`, String(port)],
    dir, ports: [port], files: {}, asRoot: true,
  }));
  return `http://127.0.0.1:${port}`;
}

test('Apprise passes an alert on to each of its URLs, without mentions', { timeout: 300_000 }, async () => {
  const receiver = await startReceiver();
  const base_url = await startApprise();
  const urls = [`json://127.0.0.1:${receiver.port}/one`, `json://127.0.0.1:${receiver.port}/two`];
  const destination = destinationOf('apprise', { base_url, urls });
  expect(await sender.send(destination, down)).toMatchObject([{ kind: 'sent', status: 200 }]);
  expect(receiver.requests.map(({ path }) => path).sort()).toEqual(['/one', '/two']);
  expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
    title: '[DOWN] Shop — HTTP 503', message: expect.stringContaining('🔴 Shop is down.') as string, type: 'failure',
  });
  await sender.send(destination, named(HOSTILE.repeat(30)));
  expect(receiver.requests.at(-1)?.body.toString()).not.toMatch(/@(everyone|channel|here)|<[@!]/);
  receiver.behave(500);
  expect(await sender.send(destination, down)).toMatchObject([{ kind: 'retry', status: 424 }]);
  expect(await sender.send(destinationOf('apprise', { base_url, urls: ['nothing://x'] }), down)).toMatchObject([{ kind: 'dead', status: 204 }]);
  await receiver.close();
});
