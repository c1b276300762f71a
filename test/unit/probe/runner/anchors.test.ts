import { createServer, type AddressInfo, type Server } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { Anchors, placesIn } from '../../../../probe/runner/anchors.ts';
import { isLost, type Reach } from '../../../../probe/runner/uplink-rules.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { until } from '../../../helpers/until.ts';
import type { HostAndPort } from '../../../../shared/setting.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Place extends HostAndPort {
  server: Server;
  asked: number;
}

async function open(): Promise<Place> {
  const server = createServer((socket) => {
    place.asked += 1;
    socket.on('error', () => undefined).end();
  });
  const place: Place = { host: '127.0.0.1', port: 0, server, asked: 0 };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  place.port = (server.address() as AddressInfo).port;
  servers.push(server);
  return place;
}

const close = (place: Place) => new Promise((resolve) => void place.server.close(resolve));
const reopen = (place: Place) =>
  new Promise<void>((resolve) => void place.server.listen(place.port, '127.0.0.1', resolve));

/** A port of our own that nothing listens on any more. */
async function closed(): Promise<Place> {
  const place = await open();
  await close(place);
  return place;
}

/** Of a network that is kept for documentation: nothing answers there. */
const NOWHERE: HostAndPort = { host: '192.0.2.1', port: 4222 };

interface Setting {
  named?: HostAndPort[];
  installation?: HostAndPort[];
  linkAnswers?: boolean;
  names?: Record<string, string>;
}

function build({ named = [], installation = [], linkAnswers = false, names = {} }: Setting) {
  const clock = new SimulatedClock(1_000_000);
  const anchors = new Anchors({
    clock, named, installation, linkAnswers: async () => linkAnswers,
    resolver: {
      resolve: async (host, family) => {
        const address = names[host];
        return address !== undefined && family === 4
          ? { ok: true, addresses: [address] } : { ok: false, code: 'ENOTFOUND' };
      },
    },
  });
  /** As asked by a check that has begun now, with all the time that it may take. */
  const isCutOff = async (sinceMs = clock.monotonic()): Promise<boolean> => {
    const answer = anchors.isCutOff(sinceMs);
    await clock.advance(2000);
    return answer;
  };
  return { clock, anchors, isCutOff };
}

describe('anchors that the operator names', () => {
  test.each([
    [['open'], false], [['closed'], true],
    [['open', 'closed'], false], [['closed', 'closed'], true],
    [['open', 'closed', 'open'], false], [['open', 'closed', 'closed'], true],
  ])('%j: the probe is cut off: %s', async (states, expected) => {
    const named = await Promise.all(states.map((state) => (state === 'open' ? open() : closed())));
    const { anchors } = build({ named });
    expect(await anchors.isCutOff(0)).toBe(expected);
  });

  test('decide alone: NATS and the controller are not asked', async () => {
    expect(await build({ named: [await open()], installation: [NOWHERE] }).anchors.isCutOff(0)).toBe(false);
    expect(await build({ named: [await closed()], linkAnswers: true }).anchors.isCutOff(0)).toBe(true);
  });

  test('are tried once for a burst of failures', async () => {
    const place = await open();
    const { clock, anchors } = build({ named: [place] });
    const isCutOff = () => anchors.isCutOff(clock.monotonic());
    expect(await Promise.all(Array.from({ length: 50 }, isCutOff))).toEqual(
      Array.from({ length: 50 }, () => false),
    );
    expect(place.asked).toBe(1);
  });

  test('are tried again for a later failure, at most twice a second', async () => {
    const place = await open();
    const { clock, anchors } = build({ named: [place] });
    expect(await anchors.isCutOff(clock.monotonic())).toBe(false);
    await clock.advance(300);
    // A recheck: its verdict does not wait.
    expect(await anchors.isCutOff(clock.monotonic())).toBe(false);
    await close(place);
    // What was found before the loss says nothing about the failure.
    const answer = anchors.isCutOff(clock.monotonic());
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await clock.advance(699);
    expect(isAnswered).toBe(false);
    expect(place.asked).toBe(2);
    await clock.advance(1);
    expect(await answer).toBe(true);
  });
});

describe('a lost uplink', () => {
  test('is tried every three seconds until it is back', async () => {
    const place = await closed();
    const { clock, anchors } = build({ named: [place] });
    expect(await anchors.isCutOff(clock.monotonic())).toBe(true);
    await reopen(place);
    await clock.advance(2999);
    expect(await anchors.isCutOff(clock.monotonic())).toBe(true);
    expect(place.asked).toBe(0);
    await clock.advance(1);
    await until(() => place.asked === 1, { what: 'it is tried' });
    await isBack(clock, anchors);
  });

  test('excuses each check that had begun before it was known to be back', async () => {
    const place = await closed();
    const { clock, anchors } = build({ named: [place] });
    const began = clock.monotonic();
    expect(await anchors.isCutOff(began)).toBe(true);
    await reopen(place);
    const meanwhile = began + 2999;
    await clock.advance(3000);
    await isBack(clock, anchors);
    expect(await anchors.isCutOff(began)).toBe(true);
    expect(await anchors.isCutOff(meanwhile)).toBe(true);
    expect(await failsAt(clock, anchors)).toBe(false);
  });
});

/** Whether a check that begins now and fails at once is excused. */
async function failsAt(clock: SimulatedClock, anchors: Anchors): Promise<boolean> {
  const answer = anchors.isCutOff(clock.monotonic());
  await clock.advance(500);
  return answer;
}

async function isBack(clock: SimulatedClock, anchors: Anchors): Promise<void> {
  await until(async () => !(await failsAt(clock, anchors)), { what: 'the uplink is back' });
  anchors.stop();
}

describe('NATS and the controller as anchors', () => {
  test('show that the uplink is lost when none of them answers', async () => {
    expect(await build({ installation: [NOWHERE, NOWHERE] }).isCutOff()).toBe(true);
  });

  test('show that it is there when NATS answers over the connection that the probe has', async () => {
    // At once: the verdict on a target does not wait for the controller, which a firewall may hide.
    expect(await build({ installation: [NOWHERE], linkAnswers: true }).anchors.isCutOff(0)).toBe(false);
  });

  test('are asked at each of many failures in a row while NATS answers', async () => {
    const { clock, anchors } = build({ installation: [NOWHERE], linkAnswers: true });
    for (let failure = 0; failure < 20; failure += 1) {
      const began = clock.monotonic();
      const answer = anchors.isCutOff(began);
      await clock.advance(50);
      expect(await answer).toBe(false);
    }
  });

  test('show nothing on the machine of the probe itself', async () => {
    const here = [await closed(), await open()];
    const names = { 'nats.internal': '127.0.0.1' };
    expect(await build({ installation: here }).isCutOff()).toBe(false);
    expect(await build({ installation: [{ host: 'nats.internal', port: 1 }], names }).isCutOff()).toBe(false);
    // The other one may show it.
    expect(await build({ installation: [...here, NOWHERE] }).isCutOff()).toBe(true);
  });

  test('count as silent when their name cannot be looked up', async () => {
    expect(await build({ installation: [{ host: 'nats.example.com', port: 4222 }] }).isCutOff()).toBe(true);
  });

  test('are not there: nothing is known of the uplink', async () => {
    expect(await build({}).isCutOff()).toBe(false);
  });
});

test('the places of addresses have the ports of their schemes', () => {
  expect(placesIn('nats://a.example, tls://[2001:db8::1]:5222, nowhere')).toEqual([
    { host: 'a.example', port: 4222 }, { host: '2001:db8::1', port: 5222 },
  ]);
  expect(placesIn('https://b.example/farwatch')).toEqual([{ host: 'b.example', port: 443 }]);
});

test('no installation is lost by fewer silences, or kept by fewer answers', () => {
  const reach = fc.constantFrom<Reach>('answers', 'silent', 'unknown');
  fc.assert(fc.property(fc.array(reach, { maxLength: 8 }), (reaches) => {
    const isCutOff = isLost('installation', reaches);
    expect(isCutOff).toBe(reaches.some((one) => one === 'silent') && reaches.every((one) => one !== 'answers'));
    expect(isLost('installation', [...reaches, 'answers'])).toBe(false);
    expect(isLost('installation', [...reaches, 'unknown'])).toBe(isCutOff);
    if (isLost('named', reaches)) expect(isLost('named', [...reaches, 'silent'])).toBe(true);
  }));
});
