import { createUser } from 'nkeys.js';
import { expect, test } from 'vitest';
import { KeyRotations } from '../../../controller/probes/key-rotations.ts';
import type { ProbeDoc } from '../../../controller/probes/probe.ts';
import { createLog } from '../../../shared/log.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const probeDoc = (id: string, organization_id: string | null): ProbeDoc => ({
  _id: id, region_id: 'eu', organization_id, name: id, created_at: 0, public_key: `U${id}`, box_key: 'X',
  ...BARE_PROBE, rotation_asked_at: 1,
});

test('an organization with unresponsive probes does not delay the key rotations of others', async () => {
  const clock = new SimulatedClock();
  const greedy = Array.from({ length: 300 }, (_none, at) => probeDoc(`greedy ${at}`, 'greedy'));
  const others = [probeDoc('modest', 'modest'), probeDoc('shared', null)];
  const byId = new Map([...greedy, ...others].map((probe) => [probe._id, probe]));
  const ordered: string[] = [];
  const none = async () => {};
  const rotations = new KeyRotations({
    probes: {
      find: async (id) => byId.get(id) ?? null,
      offerKeys: async () => null, adoptKeys: async () => null, isKeyTaken: async () => false,
    },
    order: async ({ _id }) => {
      ordered.push(_id);
      return new Promise(() => {});
    },
    publishIdentities: none, directory: { refresh: none }, clock, log: createLog('test', 'silent'),
  });
  for (const probe of [...greedy, ...others]) rotations.advance(probe);
  await clock.advance(0);
  expect(ordered).toEqual(['greedy 0', 'greedy 1', 'modest', 'shared']);
  rotations.stop();
});

test('the order after which a probe drops its old keys is repeated until the probe responds', async () => {
  const clock = new SimulatedClock();
  const next = createUser().getPublicKey();
  const probe = { ...probeDoc('one', null), next_public_key: next, next_box_key: 'Xnext' };
  const orders: unknown[] = [];
  const rotations = new KeyRotations({
    probes: {
      find: async () => (orders.length === 0 ? probe : { ...probe, rotation_asked_at: null }),
      offerKeys: async () => null, adoptKeys: async () => ({ ...probe }), isKeyTaken: async () => false,
    },
    order: async ({ public_key }, { rotate }) => {
      orders.push([public_key, rotate]);
      if (orders.length === 2) throw new Error('no response');
      return Buffer.from(JSON.stringify({ v: 1, uses: next, next: null }));
    },
    publishIdentities: async () => {}, directory: { refresh: async () => {} }, clock, log: createLog('test', 'silent'),
  });
  rotations.advance(probe);
  await clock.advance(1000);
  const last = [next, { known: next, next }];
  expect(orders).toEqual([['Uone', { known: 'Uone', next }], last, last]);
});
