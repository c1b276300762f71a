import { describe, expect, test } from 'vitest';
import { choosePeers, type MeshMember } from '../../../controller/probes/peer-rules.ts';

const member = (id: string, change: Partial<MeshMember> = {}): MeshMember =>
  ({ id, region: id, owner: null, addresses: ['8.8.8.8'], allowsPrivate: false, ...change });

/** Member `nth` of a fleet over `regions` regions, each with its own public address. */
const inFleet = (nth: number, regions: number): MeshMember =>
  member(`probe-${nth}`, { region: `region-${nth % regions}`, addresses: [`9.${nth >> 8}.${nth & 255}.1`] });
const fleet = (count: number, regions: number) => Array.from({ length: count }, (_, nth) => inFleet(nth, regions));

const idsOf = (members: MeshMember[], id: string, allowPrivate = true) =>
  choosePeers(members, allowPrivate)(id).peers.map(({ probe_id: peer }) => peer);
const addressesOf = (members: MeshMember[], id: string, allowPrivate = true) =>
  choosePeers(members, allowPrivate)(id).peers.map(({ address }) => address);

describe('the peers of a probe', () => {
  test('are four in four other regions, if there are as many', () => {
    const members = fleet(60, 6);
    for (const { id, region } of members) {
      const peers = idsOf(members, id).map((peer) => members.find((one) => one.id === peer)?.region);
      expect(new Set(peers).size).toBe(4);
      expect(peers).not.toContain(region);
    }
  });

  test('are in the same region only if no others are left', () => {
    const members = [...fleet(9, 9).slice(0, 2), ...['a', 'b', 'c', 'd'].map((id, nth) =>
      member(id, { region: 'region-0', addresses: [`9.9.9.${nth}`] }))];
    const peers = idsOf(members, 'probe-0');
    expect(peers).toHaveLength(4);
    expect(peers[0]).toBe('probe-1');
    expect(idsOf(fleet(3, 1), 'probe-0').sort()).toEqual(['probe-1', 'probe-2']);
  });

  test('depend neither on the order of the members nor on chance', () => {
    const members = fleet(40, 5);
    const [one, other] = [choosePeers(members, true), choosePeers([...members].reverse(), true)];
    for (const { id } of members) expect(other(id)).toEqual(one(id));
  });

  test('stay when other probes come or go', () => {
    const members = fleet(200, 10);
    const [before, after] = [choosePeers(members, true), choosePeers(members.slice(1), true)];
    const gone = 'probe-0';
    for (const { id } of members.slice(1)) {
      const kept = before(id).peers.filter(({ probe_id: peer }) => peer !== gone);
      expect(after(id).peers).toEqual(expect.arrayContaining(kept));
      expect(after(id).version === before(id).version).toBe(kept.length === 4);
    }
  });

  test('are spread over a fleet', () => {
    const members = fleet(1000, 20);
    const peersOf = choosePeers(members, true);
    const pinged = new Set(members.flatMap(({ id }) => peersOf(id).peers.map(({ probe_id: peer }) => peer)));
    expect(pinged.size).toBeGreaterThan(750);
  });

  test('are none for a probe that takes no part', () => {
    expect(choosePeers(fleet(5, 5), true)('unknown').peers).toEqual([]);
  });
});

describe('a probe pings only', () => {
  const [own, foreign] = [{ owner: 'own' }, { owner: 'foreign' }];

  test('probes of its own organization, and a shared one only shared ones', () => {
    const members = [
      member('a', own), member('b', { ...own, addresses: ['9.9.9.9'] }), member('c', foreign),
      member('d', { addresses: ['7.7.7.7'] }), member('e', { addresses: ['6.6.6.6'] }),
    ];
    expect(idsOf(members, 'a')).toEqual(['b']);
    expect(idsOf(members, 'c')).toEqual([]);
    expect(idsOf(members, 'd')).toEqual(['e']);
  });

  test('private addresses that their owner and the controllers allow', () => {
    const lan = { ...own, addresses: ['10.1.2.3', '2001:4860::1'] };
    const members = [member('a', own), member('b', { ...lan, allowsPrivate: true })];
    expect(addressesOf(members, 'a')).toEqual(['10.1.2.3']);
    expect(addressesOf(members, 'a', false)).toEqual(['2001:4860::1']);
    expect(addressesOf([member('a', own), member('b', lan)], 'a')).toEqual(['2001:4860::1']);
    expect(addressesOf([member('a', own), member('b', { ...own, addresses: ['fd00::1'] })], 'a')).toEqual([]);
  });

  test('single addresses outside special ranges', () => {
    for (const address of ['9.9.9.0/24', '169.254.169.254', '192.0.2.1', '224.0.0.1', '::ffff:10.0.0.1', 'fe80::1']) {
      const members = [member('a'), member('b', { addresses: [address], allowsPrivate: true })];
      expect(idsOf(members, 'a'), address).toEqual([]);
    }
  });

  test('addresses other than its own', () => {
    const members = [member('a'), member('b'), member('c', { addresses: ['8.8.4.4'] })];
    expect(idsOf(members, 'a')).toEqual(['c']);
  });

  test('loopback addresses of its own machine', () => {
    const local = (id: string, addresses: string[]) => member(id, { ...own, addresses, allowsPrivate: true });
    const members = [local('a', ['127.0.0.2']), local('b', ['127.0.0.3']), local('c', ['10.0.0.1'])];
    expect(idsOf(members, 'a').sort()).toEqual(['b', 'c']);
    expect(idsOf(members, 'c')).toEqual([]);
  });
});

test('thousands of probes behind one address cost little', () => {
  const members = Array.from({ length: 5000 }, (_, nth) => member(`probe-${nth}`, { region: 'one' }));
  const peersOf = choosePeers(members, true);
  expect(members.flatMap(({ id }) => peersOf(id).peers)).toEqual([]);
});
