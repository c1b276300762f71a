import type { Classification } from '../../controller/diagnosis/diagnosis.ts';
import type { CheckSpec, IpFamily } from '../../shared/contracts/check-spec.ts';
import { buildHttpSpec, buildPingSpec, buildTcpSpec } from '../unit/probe/build.ts';
import {
  ADDRESSES, CERTIFICATES, NETWORKS, PARKED, REGIONS, ROUTERS, UNUSED,
  type Family, type Network, type Node, type Region,
} from './network.ts';

/** What breaks a part of the network, and where an outage that it causes comes from. */
export interface Outage {
  kind: string;
  name: string;
  cause: Exclude<Classification, 'unknown'>;
  monitor: CheckSpec;
  /** Other monitors of the same organization. */
  others: readonly CheckSpec[];
  /** The regions that see the target of `monitor` down. */
  down: readonly Region[];
  /** Whether the probes ping each other. */
  hasMesh: boolean;
  inflict: (network: Network) => void | Promise<void>;
}

type Name = 'shop' | 'one' | 'two' | 'blog';
const hostOf = (name: Name) => `${name}.farwatch.test` as const;
const https = (name: Name, family: IpFamily = 'ipv4') =>
  buildHttpSpec({ url: `https://${hostOf(name)}/`, ip_family: family });
const http = (name: Name, family: IpFamily = 'ipv4') =>
  buildHttpSpec({ url: `http://${hostOf(name)}/`, ip_family: family });
const tcp = (host: string) => buildTcpSpec({ host, port: 7000, expect: 'ready' });

/** The part of the target's network that has the hosts, which takes precedence over the whole. */
const TARGET: Record<Family, string> = { 4: '10.73.0.0/25', 6: 'fd73::/65' };
const OSAKA = '10.71.1.0/25';
const HOLE = 'meta length > 1300 drop';
const ERRORS = 'time-exceeded, destination-unreachable';
const FILTERED = [
  `icmp type { ${ERRORS}, echo-request, echo-reply } drop`,
  `icmpv6 type { ${ERRORS}, packet-too-big, echo-request, echo-reply } drop`,
];
const LIMITED = ['icmp', 'icmpv6'].map(
  (protocol) => `${protocol} type { ${ERRORS} } limit rate over 1/minute burst 1 packets drop`,
);
const REFUSED = 'tcp dport { 80, 443, 7000 } reject with tcp reset';

/** Adds what routers do with ICMP to an outage. */
function icmp(rules: readonly string[], inflict: Outage['inflict']): Outage['inflict'] {
  return async (network) => {
    for (const router of [...ROUTERS, 'edge'] as const) network.filter(router, ...rules);
    await inflict(network);
  };
}

const lost = (node: Node, how: 'blackhole' | 'unreachable' | 'prohibit', families: readonly Family[] = [4, 6]) =>
  (network: Network) => {
    for (const family of families) network.route(node, how, TARGET[family]);
  };
/** A router that reports the TTL of packets to the target, and forwards none of them. */
const silent = (node: Node, families: readonly Family[] = [4, 6]) => (network: Network) =>
  network.filter(node, ...families.map((family) => `ip${family === 6 ? '6' : ''} daddr ${NETWORKS.target[family]} drop`));
const filtered = (node: Node, ...rules: string[]) => (network: Network) => network.filter(node, ...rules);
const unplugged = (...cables: [Node, Node | 'lan'][]) => (network: Network) => {
  for (const [node, from] of cables) network.unplug(node, from);
};
const renamed = (regions: readonly Region[], change: Parameters<Network['setRecords']>[2], onlyFirst = false) =>
  (network: Network) => network.setRecords(regions, hostOf('shop'), change, onlyFirst);
const hosted = (change: Parameters<Network['setHost']>[1], ...hosts: ('a' | 'b' | 'c')[]) =>
  async (network: Network) => {
    for (const host of hosts) await network.setHost(host, change);
  };

const [osaka, paris, lima]: [Region[], Region[], Region[]] = [['osaka'], ['paris'], ['lima']];
const both: Region[] = ['osaka', 'paris'];
const all = REGIONS;
const { expired, future, otherName } = CERTIFICATES;
const onlyB = { ipv4: [ADDRESSES.b[4]], ipv6: [ADDRESSES.b[6]] };
const bFirst = { ipv4: [ADDRESSES.b[4], ADDRESSES.a[4]] };
const deadEdge = unplugged(['edge', 'r2'], ['edge', 'r3']);

type Row = [name: string, monitor: CheckSpec, down: readonly Region[], inflict: Outage['inflict'], others?: CheckSpec[]];

const kind = (title: string, cause: Outage['cause'], rows: Row[]): Outage[] =>
  rows.map(([name, monitor, down, inflict, others = []], at) => (
    { kind: title, cause, name, monitor, down, inflict, others, hasMesh: at % 2 === 1 }
  ));

export const OUTAGES: readonly Outage[] = [
  ...kind('blackholed hop', 'path', [
    ['first router, HTTPS', https('shop'), osaka, silent('r1')],
    ['first router, TCP', tcp(hostOf('one')), osaka, silent('r1')],
    ['first router, ping', buildPingSpec(hostOf('one')), lima, silent('r3')],
    ['first router, which does not respond itself', https('shop'), osaka, lost('r1', 'blackhole')],
    ['second router, two regions', https('shop'), both, silent('r2')],
    ['the way back', http('shop'), osaka, (network) => network.route('edge', 'blackhole', OSAKA)],
    ['only one address of the target, TCP', tcp(ADDRESSES.a[4]), osaka, filtered('r1', `ip daddr ${ADDRESSES.a[4]} drop`)],
    ['firewall of the target that drops one region', https('one'), osaka, filtered('a', 'ip saddr 10.71.1.0/24 drop')],
    ['several monitors, one region', https('one'), osaka, silent('r1'), [https('two'), https('blog')]],
  ]),
  ...kind('lost route', 'path', [
    ['several monitors, one region', tcp(hostOf('one')), paris,
      filtered('r2', 'iifname paris oifname edge reject with icmpx no-route'),
      [https('two'), https('blog')]],
    ['first router, HTTPS', https('shop'), osaka, lost('r1', 'unreachable')],
    ['second router, two regions, several monitors', https('one'), both, lost('r2', 'unreachable'), [https('two'), https('blog')]],
    ['prohibited by the last router', https('shop'), lima, lost('r3', 'prohibit')],
    ['loop between two routers', https('shop'), both, (network) => {
      for (const family of [4, 6] as const) network.misroute('r2', TARGET[family], 'r1');
    }],
  ]),
  ...kind('MTU hole', 'path', [
    ['first router, HTTPS', https('shop'), osaka, filtered('r1', HOLE)],
    ['last router, HTTPS over IPv6', https('shop', 'ipv6'), lima, filtered('r3', HOLE)],
    ['ICMP filtered', https('shop'), osaka, icmp(FILTERED, filtered('r1', HOLE))],
  ]),
  ...kind('wrong or missing DNS response', 'dns', [
    ['no such name', https('shop'), osaka, renamed(osaka, { failure: 'NXDOMAIN' })],
    ['no such name, first name server', https('shop'), osaka, renamed(osaka, { failure: 'NXDOMAIN' }, true)],
    ['server failure, TCP', tcp(hostOf('shop')), osaka, renamed(osaka, { failure: 'SERVFAIL' })],
    ['no addresses, HTTP', http('shop'), paris, renamed(paris, { ipv4: [], ipv6: [] }, true)],
    ['silent servers', https('shop'), lima, renamed(lima, { failure: 'silent' })],
    ['no such name, ping', buildPingSpec(hostOf('shop')), lima, renamed(lima, { failure: 'NXDOMAIN' })],
    ['no such name anywhere', https('shop'), all, renamed(all, { failure: 'NXDOMAIN' })],
    ['an address that refuses', https('shop'), osaka, async (network) => {
      network.filter('hub', `ip daddr ${PARKED} ${REFUSED}`);
      await network.setRecords(osaka, hostOf('shop'), { ipv4: [PARKED] }, true);
    }],
    ['an unused address, TCP', tcp(hostOf('shop')), osaka, renamed(osaka, { ipv4: [UNUSED] }, true)],
    ['another site with its own certificate', https('shop'), paris, renamed(paris, { ipv4: [PARKED] }, true)],
    ['another site without the page, all name servers of a region', http('shop'), lima, renamed(lima, { ipv4: [PARKED] })],
    ['an unused address, ICMP filtered', https('shop'), osaka, icmp(FILTERED, renamed(osaka, { ipv4: [UNUSED] }, true))],
  ]),
  ...kind('one broken family', 'path', [
    ['IPv6 blackholed, HTTPS', https('shop', 'ipv6'), osaka, silent('r1', [6])],
    ['IPv6 route lost, TCP', tcp(ADDRESSES.a[6]), osaka, lost('r1', 'unreachable', [6])],
    ['IPv4 blackholed, two regions', https('shop', 'ipv4'), both, silent('r2', [4])],
    ['IPv6 route lost, ping', buildPingSpec(ADDRESSES.a[6]), lima, lost('r3', 'unreachable', [6])],
  ]),
  ...kind('expired certificate on one of two addresses', 'certificate', [
    ['the first address, HTTPS', https('shop'), all, hosted({ certificate: expired }, 'a')],
    ['the first address of one region, ICMP filtered', https('shop'), paris, icmp(FILTERED, async (network) => {
      await network.setHost('b', { certificate: expired });
      await network.setRecords(paris, hostOf('shop'), bFirst);
    })],
    ['the second address, which one region tries first', https('shop'), lima, async (network) => {
      await network.setHost('b', { certificate: expired });
      await network.setRecords(lima, hostOf('shop'), bFirst);
    }],
    ['only over IPv6', https('shop', 'ipv6'), all, hosted({ certificate6: expired }, 'a')],
    ['not yet valid', https('shop'), all, hosted({ certificate: future }, 'a', 'b')],
    ['of another name', https('one'), all, hosted({ certificate: otherName }, 'a')],
  ]),
  ...kind('dead target', 'target', [
    ['refuses, HTTPS', https('one'), all, filtered('a', REFUSED)],
    ['host, TCP, beside one that is up', tcp(hostOf('one')), all, unplugged(['edge', 'a']), [https('two')]],
    ['host, ping, beside one that is up', buildPingSpec(hostOf('one')), all, unplugged(['edge', 'a']), [https('two')]],
    ['status 500', https('one'), all, hosted({ status: 500 }, 'a')],
    ['accepts and never responds', https('one'), all, (network) => network.suspend('a')],
    ['status 403 for one region', http('one'), osaka, hosted({ forbidden: '10.71.1.' }, 'a')],
    ['the only address of one region', https('shop'), paris, async (network) => {
      await network.setRecords(paris, hostOf('shop'), onlyB);
      network.unplug('edge', 'b');
    }],
    ['two hosts of a network with a third that is up', https('one'), all, unplugged(['edge', 'a'], ['edge', 'c']),
      [https('two'), https('blog')]],
  ]),
  ...kind('dead probe uplink', 'probe', [
    ['cable, HTTPS', https('shop'), osaka, unplugged(['r1', 'osaka'])],
    ['own interface, TCP', tcp(ADDRESSES.a[4]), paris, unplugged(['paris', 'r2'])],
    ['silent router, ping', buildPingSpec(ADDRESSES.a[4]), lima, filtered('r3', 'iifname lima drop', 'oifname lima drop')],
    ['several monitors', https('one'), osaka, unplugged(['r1', 'osaka']), [https('two'), https('blog')]],
  ]),
  ...kind('rate-limited ICMP', 'path', [
    ['blackholed first router, HTTPS', https('shop'), osaka, icmp(LIMITED, silent('r1'))],
    ['lost route at the last router, TCP', tcp(hostOf('one')), lima, icmp(LIMITED, lost('r3', 'unreachable'))],
  ]),
  ...kind('rate-limited ICMP', 'target', [
    ['dead host, HTTPS', https('one'), all, icmp(LIMITED, unplugged(['edge', 'a']))],
  ]),
  ...kind('dead edge shared by several monitors', 'edge', [
    ['HTTPS', https('one'), all, deadEdge, [https('two'), https('blog')]],
    ['TCP and HTTP, over IPv6', https('one', 'ipv6'), all, deadEdge, [http('two', 'ipv6'), https('blog', 'ipv6')]],
    ['drops everything', https('shop'), all, filtered('edge', `ip daddr ${NETWORKS.target[4]} drop`, 'meta l4proto tcp drop'),
      [https('two'), https('blog')]],
    ['has lost the network of the hosts', https('one'), all, unplugged(['edge', 'lan']), [tcp(hostOf('two')), https('blog')]],
    ['ICMP rate-limited', https('one'), all, icmp(LIMITED, deadEdge), [tcp(hostOf('two')), buildPingSpec(ADDRESSES.c[4])]],
    ['ICMP filtered', https('one'), all, icmp(FILTERED, deadEdge), [https('two'), https('blog')]],
  ]),
];
