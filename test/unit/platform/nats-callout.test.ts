import { createAccount } from 'nkeys.js';
import { beforeEach, expect, test } from 'vitest';
import type { BusUser } from '../../../controller/platform/bus/identities-port.ts';
import { NatsCallout } from '../../../controller/platform/bus/nats-callout.ts';
import { newUserKey, SigningKey } from '../../../controller/platform/bus/nkeys.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const user: BusUser = {
  account: 'PROBES', public_key: newUserKey().publicKey,
  permissions: { publish: { allow: [] }, subscribe: { allow: [] } },
};
const bytes = (value: object) => Buffer.from(JSON.stringify(value));

let clock: SimulatedClock;
/** Current users by connection, as the server will report them. */
let connected: Map<number, string>;
let isResponding: boolean;
let callout: NatsCallout;

beforeEach(() => {
  clock = new SimulatedClock();
  [connected, isResponding] = [new Map(), true];
  const issuer = new SigningKey(new TextDecoder().decode(createAccount().getSeed()));
  callout = new NatsCallout({
    issuer, clock, log: createLog('test', 'silent'),
    bus: {
      subscribe: () => ({ stop: async () => undefined }),
      requestMany: async () => {
        if (!isResponding) throw new Error('no response');
        const connections = [...connected].map(([cid, name]) => ({ cid, account: 'PROBES', authorized_user: name }));
        return [bytes({ server: { id: 'S' }, data: { total: connections.length, connections } })];
      },
      request: async (_subject, data) => {
        connected.delete((JSON.parse(String(data)) as { cid: number }).cid);
        return bytes({});
      },
    },
  });
});

/** Waits until users admitted by earlier responses must be connected. */
async function settle(users: BusUser[]): Promise<void> {
  await callout.publish(users, true);
  await clock.advance(5000);
  expect(await callout.publish(users, true)).toBe(true);
}

test('disconnects a removed user whom an earlier response admits after the others were disconnected', async () => {
  await settle([user]);
  connected.set(1, user.public_key);
  expect(await callout.publish([], true)).toBe(false);
  expect(connected.size).toBe(0);
  connected.set(2, user.public_key);
  await clock.advance(4999);
  expect(await callout.publish([], true)).toBe(false);
  expect(connected.size).toBe(0);
  await clock.advance(1);
  expect(await callout.publish([], true)).toBe(true);
});

test('lists connections again after the server did not respond, however much later', async () => {
  await settle([user]);
  connected.set(1, user.public_key);
  isResponding = false;
  expect(await callout.publish([], true)).toBe(false);
  await clock.advance(60_000);
  expect(await callout.publish([], true)).toBe(false);
  isResponding = true;
  expect(await callout.publish([], true)).toBe(true);
  expect(connected.size).toBe(0);
});
