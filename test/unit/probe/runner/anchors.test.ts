import { createServer as createProxy } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { Anchors, endpointsIn } from '../../../../probe/runner/anchors.ts';
import { isLost, type Reach } from '../../../../probe/runner/uplink-rules.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { until } from '../../../helpers/until.ts';
import type { HostAndPort } from '../../../../shared/setting.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface TestEndpoint extends HostAndPort {
  server: Server;
  connections: number;
}

async function open(): Promise<TestEndpoint> {
  const server = createServer((socket) => {
    endpoint.connections += 1;
    socket.on('error', () => undefined).end();
  });
  const endpoint: TestEndpoint = { host: '127.0.0.1', port: 0, server, connections: 0 };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  endpoint.port = (server.address() as AddressInfo).port;
  servers.push(server);
  return endpoint;
}

const close = (endpoint: TestEndpoint) => new Promise((resolve) => void endpoint.server.close(resolve));
const reopen = (endpoint: TestEndpoint) =>
  new Promise<void>((resolve) => void endpoint.server.listen(endpoint.port, '127.0.0.1', resolve));

/** A port that nothing listens on any more. */
async function closed(): Promise<TestEndpoint> {
  const endpoint = await open();
  await close(endpoint);
  return endpoint;
}

/** In a documentation network, where nothing responds. */
const NOWHERE: HostAndPort = { host: '192.0.2.1', port: 4222 };

interface Setting {
  named?: HostAndPort[];
  installation?: HostAndPort[];
  isLinkResponsive?: boolean;
  names?: Record<string, string>;
}

function build({ named = [], installation = [], isLinkResponsive = false, names = {} }: Setting) {
  const clock = new SimulatedClock(1_000_000);
  const anchors = new Anchors({
    clock, named, installation, isLinkResponsive: async () => isLinkResponsive,
    resolver: {
      resolve: async (host, family) => {
        const address = names[host];
        return address !== undefined && family === 4
          ? { ok: true, addresses: [address] } : { ok: false, code: 'ENOTFOUND' };
      },
    },
  });
  /** As called by a check that starts now, with all the time it may take. */
  const isCutOff = async (sinceMs = clock.monotonic()): Promise<boolean> => {
    const cutOff = anchors.isCutOff(sinceMs);
    await clock.advance(2000);
    return cutOff;
  };
  return { clock, anchors, isCutOff };
}

describe('named anchors', () => {
  test.each([
    [['open'], false], [['closed'], true],
    [['open', 'closed'], false], [['closed', 'closed'], true],
    [['open', 'closed', 'open'], false], [['open', 'closed', 'closed'], true],
  ])('%j: the probe is cut off: %s', async (states, expected) => {
    const named = await Promise.all(states.map((state) => (state === 'open' ? open() : closed())));
    const { anchors } = build({ named });
    expect(await anchors.isCutOff(0)).toBe(expected);
  });

  test('are the only ones used: NATS and the controller are not contacted', async () => {
    expect(await build({ named: [await open()], installation: [NOWHERE] }).anchors.isCutOff(0)).toBe(false);
    expect(await build({ named: [await closed()], isLinkResponsive: true }).anchors.isCutOff(0)).toBe(true);
  });

  test('are tried once for a burst of failures', async () => {
    const endpoint = await open();
    const { clock, anchors } = build({ named: [endpoint] });
    const isCutOff = () => anchors.isCutOff(clock.monotonic());
    expect(await Promise.all(Array.from({ length: 50 }, isCutOff))).toEqual(
      Array.from({ length: 50 }, () => false),
    );
    expect(endpoint.connections).toBe(1);
  });

  test('are tried again for a later failure, at most twice a second', async () => {
    const endpoint = await open();
    const { clock, anchors } = build({ named: [endpoint] });
    expect(await anchors.isCutOff(clock.monotonic())).toBe(false);
    await clock.advance(300);
    // A recheck: its outcome is not delayed.
    expect(await anchors.isCutOff(clock.monotonic())).toBe(false);
    await close(endpoint);
    // A finding from before the loss says nothing about the failure.
    const cutOff = anchors.isCutOff(clock.monotonic());
    let isSettled = false;
    void cutOff.then(() => (isSettled = true));
    await clock.advance(699);
    expect(isSettled).toBe(false);
    expect(endpoint.connections).toBe(2);
    await clock.advance(1);
    expect(await cutOff).toBe(true);
  });
});

describe('a lost uplink', () => {
  test('is checked every three seconds until it recovers', async () => {
    const endpoint = await closed();
    const { clock, anchors } = build({ named: [endpoint] });
    expect(await anchors.isCutOff(clock.monotonic())).toBe(true);
    await reopen(endpoint);
    await clock.advance(2999);
    expect(await anchors.isCutOff(clock.monotonic())).toBe(true);
    expect(endpoint.connections).toBe(0);
    await clock.advance(1);
    await until(() => endpoint.connections === 1, { what: 'it is tried' });
    await isBack(clock, anchors);
  });

  test('excuses each check that started before the recovery was known', async () => {
    const endpoint = await closed();
    const { clock, anchors } = build({ named: [endpoint] });
    const began = clock.monotonic();
    expect(await anchors.isCutOff(began)).toBe(true);
    await reopen(endpoint);
    const meanwhile = began + 2999;
    await clock.advance(3000);
    await isBack(clock, anchors);
    expect(await anchors.isCutOff(began)).toBe(true);
    expect(await anchors.isCutOff(meanwhile)).toBe(true);
    expect(await failsAt(clock, anchors)).toBe(false);
  });
});

/** Whether a check that starts now and fails immediately is excused. */
async function failsAt(clock: SimulatedClock, anchors: Anchors): Promise<boolean> {
  const cutOff = anchors.isCutOff(clock.monotonic());
  await clock.advance(500);
  return cutOff;
}

async function isBack(clock: SimulatedClock, anchors: Anchors): Promise<void> {
  await until(async () => !(await failsAt(clock, anchors)), { what: 'the uplink is back' });
  anchors.stop();
}

describe('NATS and the controller as anchors', () => {
  test('show a lost uplink if none of them responds', async () => {
    expect(await build({ installation: [NOWHERE, NOWHERE] }).isCutOff()).toBe(true);
  });

  test("show a working uplink if NATS responds over the probe's connection", async () => {
    // Immediately: the outcome doesn't wait for the controller, which a firewall may hide.
    expect(await build({ installation: [NOWHERE], isLinkResponsive: true }).anchors.isCutOff(0)).toBe(false);
  });

  test('are checked for each of many failures in a row while NATS responds', async () => {
    const { clock, anchors } = build({ installation: [NOWHERE], isLinkResponsive: true });
    for (let failure = 0; failure < 20; failure += 1) {
      const began = clock.monotonic();
      const cutOff = anchors.isCutOff(began);
      await clock.advance(50);
      expect(await cutOff).toBe(false);
    }
  });

  test("show nothing on the probe's own machine", async () => {
    const here = [await closed(), await open()];
    const names = { 'nats.internal': '127.0.0.1' };
    expect(await build({ installation: here }).isCutOff()).toBe(false);
    expect(await build({ installation: [{ host: 'nats.internal', port: 1 }], names }).isCutOff()).toBe(false);
    // The other one may reveal it.
    expect(await build({ installation: [...here, NOWHERE] }).isCutOff()).toBe(true);
  });

  test("count as silent if their name can't be resolved", async () => {
    expect(await build({ installation: [{ host: 'nats.example.com', port: 4222 }] }).isCutOff()).toBe(true);
  });

  test('show nothing about the uplink if there are none', async () => {
    expect(await build({}).isCutOff()).toBe(false);
  });
});

test('endpoints of URLs have the default ports of their schemes', () => {
  expect(endpointsIn('nats://a.example, tls://[2001:db8::1]:5222, nowhere', {})).toEqual([
    { host: 'a.example', port: 4222 }, { host: '2001:db8::1', port: 5222 },
  ]);
  expect(endpointsIn('https://b.example/farwatch', {})).toEqual([{ host: 'b.example', port: 443 }]);
});

describe('endpoints behind a proxy', () => {
  const behind = async (status: string) => {
    const proxy = createProxy();
    proxy.on('connect', (_request, socket) => {
      socket.on('error', () => undefined).end(`HTTP/1.1 ${status}\r\n\r\n`);
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    servers.push(proxy);
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    return build({ installation: endpointsIn('wss://b.example/api/bus, nats://127.0.0.1', { HTTPS_PROXY }) });
  };

  test('are reached through it', async () => {
    expect(await (await behind('200 OK')).anchors.isCutOff(0)).toBe(false);
  });

  test('count as silent if it cannot reach them', async () => {
    expect(await (await behind('503 No route')).anchors.isCutOff(0)).toBe(true);
  });
});

test('fewer silences never turn the uplink lost, and fewer responses never turn it working', () => {
  const reach = fc.constantFrom<Reach>('responds', 'silent', 'unknown');
  fc.assert(fc.property(fc.array(reach, { maxLength: 8 }), (reaches) => {
    const isCutOff = isLost('installation', reaches);
    expect(isCutOff).toBe(reaches.some((one) => one === 'silent') && reaches.every((one) => one !== 'responds'));
    expect(isLost('installation', [...reaches, 'responds'])).toBe(false);
    expect(isLost('installation', [...reaches, 'unknown'])).toBe(isCutOff);
    if (isLost('named', reaches)) expect(isLost('named', [...reaches, 'silent'])).toBe(true);
  }));
});
