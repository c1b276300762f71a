import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../probe/checks/check.ts';
import { CheckRegistry } from '../../probe/checks/registry.ts';
import { Trust } from '../../probe/checks/tls/trust.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { systemClock } from '../../shared/time.ts';
import { buildHttpSpec, buildTcpSpec } from '../unit/probe/build.ts';
import { ensureDebianPackages } from './packages.ts';
import { Router } from './router.ts';

let router: Router;

/** `addresses`: of the name `shop.test`. */
function run(spec: CheckSpec, addresses: readonly string[] = []): Promise<Finding> {
  const resolve = async (_name: string, family: 4 | 6) => (
    family === 4 ? { ok: true as const, addresses: [...addresses] } : { ok: false as const, code: 'ENODATA' }
  );
  return new CheckRegistry({
    clock: systemClock, resolver: { resolve }, allowAddress: () => true, version: '1', trust: new Trust(),
  }).run(spec, 10_000);
}

const dnsSpec = (host: string): CheckSpec => ({
  type: 'DNS', name: 'shop.test', record_entries: [{ type: 'A', expected_values: [], match: 'any' }],
  server: { host, port: 53 }, resolution_timeout_ms: 5000,
});
const isRoot = process.getuid?.() === 0;
const SPECS: readonly (readonly [string, (host: string) => CheckSpec])[] = [
  ['TCP', (host) => buildTcpSpec({ host, port: 80 })],
  ['HTTP', (host) => buildHttpSpec({ url: `http://${host}/` })],
  ['HTTPS', (host) => buildHttpSpec({ url: `https://${host}/` })],
];
const lost = {
  outcome: 'failure',
  error: { type: 'connection_error', layer: 'connect', message: 'A router reports that the network is unreachable' },
};

describe.runIf(isRoot)('a check whose target has no route', () => {
  beforeAll(() => ensureDebianPackages('iproute2'));
  // A kernel reports only the first few packets of a sender, so no two of these share a router.
  beforeEach(() => {
    router = Router.start();
  });
  afterEach(() => router?.stop());

  test.each(SPECS)('over %s fails when a router reports the route as lost', async (_name, specOf) => {
    expect(await run(specOf(router.hosts.lost))).toMatchObject(lost);
    expect(await run(specOf(router.hosts.unreachable))).toMatchObject({
      outcome: 'failure', error: { type: 'connection_error', message: 'The host is unreachable' },
    });
  });

  test.each([...SPECS, ['DNS', dnsSpec] as const])(
    'over %s is missed when the probe itself has no route', async (_name, specOf) => {
      const found = await run(specOf(router.hosts.unrouted));
      expect(found).toMatchObject({ outcome: 'missed', missed: 'probe_unhealthy' });
    },
  );

  test('fails because of the address that a router reports, not one to which the probe has no route', async () => {
    const { hosts } = router;
    for (const addresses of [[hosts.lost, hosts.unrouted], [hosts.unrouted, hosts.lost]]) {
      expect(await run(buildTcpSpec({ host: 'shop.test', port: 80 }), addresses)).toMatchObject(lost);
    }
  });

  test('succeeds with another address', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const spec = buildTcpSpec({ host: 'shop.test', port: (server.address() as AddressInfo).port });
    expect(await run(spec, [router.hosts.lost, '127.0.0.1'])).toMatchObject({ outcome: 'success' });
    server.close();
  });
});
