import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { programFile } from '../bundle.mjs';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import type { Loose } from '../helpers/api-client.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { until } from '../helpers/until.ts';
import { startCaddy } from './caddy.ts';
import { runNginx } from './nginx.ts';
import type { Service } from './service.ts';
import { startSquid } from './squid.ts';

const HOST = 'farwatch.example.com';
/** Its port 443 is free where 127.0.0.1 has a web server. */
const ADDRESS = '127.0.0.77';
/** Longer than the controller's pings are apart, and shorter than the time between those of NATS. */
const SHORT_TIMEOUT = '7s';
const certificate = makeCertificate({ names: [HOST] });
const manual = readFileSync('docs/operating.md', 'utf8');
const exampleFor = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(manual)?.[1] ?? '';

let farwatch: Farwatch;
let session: ApiSession;
let key = '';
const dir = mkdtempSync(join(tmpdir(), 'farwatch-proxies-'));
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  writeFileSync(join(dir, 'ca.pem'), certificate.cert);
  farwatch = await startFarwatch({ env: { BASE_URL: `https://${HOST}`, TRUST_PROXY: '1' } });
  session = await new ApiSession(farwatch.url).begin();
  key = (await session.ok<Loose>('POST', '/api/regions/local/enrolment-keys', { name: 'elsewhere' })).key;
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await farwatch?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function started(service: Promise<Service>): Promise<Service> {
  const running = await service;
  cleanups.push(() => running.stop());
  return running;
}

async function startProbe(name: string, controller: string, env: Record<string, string>): Promise<ProbeProcess> {
  const probe = new ProbeProcess(await programFile('probe'), join(dir, name), ['--controller', controller], {
    FARWATCH_TOKEN: key, NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem'), ...env,
  });
  cleanups.push(() => probe.end('SIGKILL'));
  return probe;
}

const lastBeat = async (probe: ProbeProcess): Promise<number> => {
  const { probes } = await session.ok<Loose>('GET', '/api/probes');
  return Date.parse(probes.find((one: Loose) => one.id === probe.logged('enrolled')?.['probe']).last_beat_at);
};

test('a probe reaches Caddy through a proxy that allows only CONNECT to port 443, with a password', async () => {
  const upstream = new URL(farwatch.url).host;
  const [, directives = ''] = /\{\n(.*)\}/s.exec(exampleFor('caddy')) ?? [];
  await started(startCaddy({
    address: ADDRESS, host: HOST, certificate,
    directives: directives.replace('10.0.0.1:3000 10.0.0.2:3000', upstream),
  }));
  const squid = await startSquid('probe', 'p@ss', { [HOST]: ADDRESS });
  cleanups.push(() => squid.stop());
  const probe = await startProbe('squid', `https://${HOST}`, { HTTPS_PROXY: `http://probe:p%40ss@127.0.0.1:${squid.port}` });
  await probe.connected();
  expect(await lastBeat(probe)).toBeGreaterThan(0);
  await probe.end();
  // Enrolment and the bus.
  expect(squid.log().match(new RegExp(`TCP_TUNNEL/200 .* CONNECT ${HOST}:443 probe `, 'g'))?.length).toBeGreaterThanOrEqual(2);
});

test('a probe survives a short timeout of the manual\'s nginx for idle connections, and its restart', async () => {
  const port = await freePort();
  const addresses = [new URL(farwatch.url).host, new URL(farwatch.url).host];
  const start = () => runNginx({
    ports: [port], certificate,
    sites: () => exampleFor('nginx')
      .replace(/10\.0\.0\.(\d):3000/g, (_found, at: string) => addresses[Number(at) - 1] ?? '')
      .replaceAll('proxy_read_timeout 75s', `proxy_read_timeout ${SHORT_TIMEOUT}`)
      .replace('# listen, ssl_certificate …', `listen 127.0.0.1:${port};`),
  });
  const first = await start();
  const probe = await startProbe('nginx', `http://127.0.0.1:${port}`, { NATS_URL: `ws://127.0.0.1:${port}/api/bus` });
  await probe.connected();
  const connectedAt = Date.now();
  await until(async () => await lastBeat(probe) > connectedAt + 25_000, { what: 'beats for 25 s' });
  expect(probe.logged('NATS link down')).toBeUndefined();
  await first.stop();
  await until(() => probe.logged('NATS link down'), { what: 'it notices' });
  await started(start());
  await until(() => probe.lines.filter(({ msg }) => msg === 'NATS link up').length > 1, { what: 'it is back' });
});
