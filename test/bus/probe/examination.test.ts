import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { EXAMINE_CAPABILITY, examineResponse } from '../../../shared/contracts/examination.ts';
import { programFile } from '../../bundle.mjs';
import { makeCertificate } from '../../helpers/certificate.ts';
import { natsVersions, type NatsVersion } from '../../helpers/nats-programs.ts';
import { until } from '../../helpers/until.ts';
import { Fixture } from './fixture.ts';

let fixture: Fixture;
let bundle = '';
beforeAll(async () => {
  bundle = await programFile('probe');
});
beforeEach(async () => {
  fixture = await Fixture.open(bundle, natsVersions()[0] as NatsVersion);
});
afterEach(() => fixture.close());

test('a probe examines a target on an order, and says in its beats that it can', async () => {
  const { peer, monitor } = { peer: fixture.peer, monitor: fixture.monitor() };
  await fixture.enrol();
  await until(() => peer.beats.at(-1)?.capabilities.includes(EXAMINE_CAPABILITY), { what: 'a beat' });
  const server = createServer(makeCertificate({ names: ['other.example'] }), (socket) => {
    socket.on('error', () => undefined).resume().end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const set = { ...monitor, spec: { ...monitor.spec, url, verify_ssl: false } };

  const { examination } = examineResponse.parse(await peer.ask({ examine: set }));
  expect(examination).toMatchObject({
    monitor_id: monitor.monitor_id, sees: 'down', error: { type: 'status_code', message: 'Expected 200-299, got 503' },
    has_network: true, addresses: ['127.0.0.1', '::1'],
    connections: [
      { address: '127.0.0.1', state: 'open', tls: { issuer: 'CN=other.example', problem: null } },
      // Unreachable where the machine has no IPv6.
      { address: '::1', state: expect.stringMatching(/refused|unreachable/) as string, tls: null },
    ],
  });
  expect(peer.results).toEqual([]);
  // Without a response, as the target may not be reached.
  await expect(peer.ask({ examine: { ...set, allow_private: false } }, 2000)).rejects.toThrow(/TIMEOUT/);
  await new Promise((resolve) => server.close(resolve));
});
