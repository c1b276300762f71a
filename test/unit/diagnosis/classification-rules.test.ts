import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify, type DiagnosisInput } from '../../../controller/diagnosis/classification-rules.ts';
import { CLASSIFICATIONS } from '../../../controller/diagnosis/diagnosis.ts';
import type { Observation } from '../../../controller/diagnosis/observation-rules.ts';
import {
  BAD_TLS, certificate, connection, EDGE, failing, FIRST, GATEWAY, NO_NAME, NOW, path, REFUSED, SECOND, seen, silent,
  STALLED, STATUS, TARGET, TARGET6, TIMEOUT, whole,
} from '../../helpers/examinations.ts';

const [OTHER, NEIGHBOR] = ['203.0.113.8', '203.0.113.9'];
const EXPIRED = certificate({ fingerprint256: 'old', problem: 'CERT_HAS_EXPIRED', valid_to: Date.UTC(2026, 4, 30) });

function decide(observations: Observation[], change: Partial<DiagnosisInput> = {}) {
  return classify({
    observations, error: null, is_dns: false, others: [], neighbor: null, broken_edges: [], ...change,
  });
}

const up = seen('Paris');
const other = (routers: (string | null)[], address: string, monitor_id = 'other') => (
  { monitor_id, observations: ['Osaka', 'Paris'].map((label) => silent(label, routers, address)) }
);
const unresolved = (label: string, change = {}) => failing(label, NO_NAME, {
  addresses: [], connections: [], path: path([], { method: 'none', target: null }),
  resolvers: [{ server: '192.0.2.53', answer: [], error: 'NXDOMAIN' }], ...change,
});
const wrong = (right: string[]) => failing('Osaka', TIMEOUT, {
  addresses: ['192.0.2.66'], connections: [connection('timeout', '192.0.2.66')],
  path: path([FIRST, null], { target: '192.0.2.66' }),
  resolvers: [
    { server: '192.0.2.53', answer: ['192.0.2.66'], error: null },
    { server: '192.0.2.54', answer: right, error: null },
  ],
});
/** IPv4 works and IPv6 does not; the trace went to `traced`. */
const halfBroken = (label: string, state: 'refused' | 'timeout', traced = path([FIRST, EDGE], { target: TARGET })) =>
  failing(label, state === 'refused' ? REFUSED : TIMEOUT, {
    addresses: [TARGET, TARGET6], path: traced,
    connections: [connection('open'), connection(state, TARGET6)],
  });
const both = (label: string) => seen(label, {
  addresses: [TARGET, TARGET6], connections: [connection('open'), connection('open', TARGET6)],
});

/** The first name server says a wrong IPv4 address; IPv6 works. */
const partlyWrong = (state: 'timeout' | 'open') => failing('Osaka', state === 'open' ? STATUS : TIMEOUT, {
  addresses: ['192.0.2.66', TARGET6], connections: [connection(state, '192.0.2.66'), connection('open', TARGET6)],
  resolvers: [
    { server: '192.0.2.53', answer: ['192.0.2.66', TARGET6], error: null },
    { server: '192.0.2.54', answer: [TARGET, TARGET6], error: null },
  ],
});

interface Situation {
  observations: Observation[];
  given?: Partial<DiagnosisInput>;
  is: (typeof CLASSIFICATIONS)[number];
  summary: string;
}

const SITUATIONS: Record<string, Situation> = {
  'a blackholed hop on the way from one region': {
    observations: [silent('Osaka', [FIRST, SECOND, null, null]), up],
    is: 'path', summary: 'Only from Osaka: path breaks after 198.51.100.7; reachable from Paris.',
  },
  'a lost route of one region, which its router reports': {
    observations: [failing('Osaka', REFUSED, {
      connections: [connection('unreachable')], path: path([FIRST, SECOND]),
    }), up],
    is: 'path', summary: 'Only from Osaka: path breaks after 198.51.100.7; reachable from Paris.',
  },
  'a broken path and a broken edge of the mesh': {
    observations: [silent('Osaka', [FIRST, SECOND, null]), up],
    given: { broken_edges: [{ from_probe: 'probe-Osaka', to_probe: 'probe-Paris' }] },
    is: 'path', summary: 'Only from Osaka: path breaks after 198.51.100.7; reachable from Paris.',
  },
  'broken paths from two regions': {
    observations: [silent('Osaka', [FIRST, null]), silent('Dallas', ['192.0.2.9', SECOND, null]), up],
    is: 'path', summary: 'Only from Osaka and Dallas: path breaks on the way; reachable from Paris.',
  },
  'one of two addresses out of reach from one region': {
    observations: [
      failing('Osaka', TIMEOUT, {
        addresses: [TARGET, OTHER], connections: [connection('timeout'), connection('open', OTHER)],
        path: path([FIRST, SECOND, null]),
      }),
      seen('Paris', { connections: [connection('open'), connection('open', OTHER)] }),
    ],
    is: 'path', summary: 'Only from Osaka: path to 203.0.113.7 breaks after 198.51.100.7; reachable from Paris.',
  },
  'silent routers in front of a firewall that refuses one probe': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'a firewall in the target\'s network that refuses one probe': {
    observations: [silent('Osaka', [FIRST, GATEWAY]), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'a silent target without a trace': {
    observations: [failing('Osaka', TIMEOUT, {
      connections: [connection('timeout')], path: path([], { method: 'none' }),
    }), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'no router that responds, because ICMP is limited': {
    observations: [silent('Osaka', [null, null, null]), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'a silent path of a region that connects': {
    observations: [seen('Osaka', { path: path([FIRST, null, null]) }), up],
    is: 'unknown', summary: 'The target responds from Osaka and Paris, so there is nothing to diagnose.',
  },
  'a failure that is over': {
    observations: [seen('Osaka'), up], given: { error: TIMEOUT },
    is: 'unknown', summary: 'The target failed, but responded when it was examined from Osaka and Paris.',
  },
  'another address in each region, one of them silent': {
    observations: [silent('Osaka', [FIRST, SECOND], OTHER), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'a response that differs by region': {
    observations: [failing('Osaka', STATUS), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'large packets lost from one region': {
    observations: [failing('Osaka', STALLED, {
      connections: [connection('stalled')], path: whole({ large_packets: 'lost' }),
    }), up],
    is: 'path', summary: 'Only from Osaka: large packets get lost on the path, so connections open and then stall; '
      + 'reachable from Paris.',
  },
  'large packets lost from one region to a target without TLS': {
    observations: [failing('Osaka', { ...STALLED, layer: 'response' }, { path: whole({ large_packets: 'lost' }) }), up],
    is: 'path', summary: 'Only from Osaka: large packets get lost on the path, so connections open and then stall; '
      + 'reachable from Paris.',
  },
  'connections that stall from one region, though large packets arrive': {
    observations: [failing('Osaka', STALLED, { connections: [connection('stalled')] }), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'connections that stall from all regions where large packets get lost': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, STALLED, {
      connections: [connection('stalled')], path: whole({ large_packets: 'lost' }),
    })),
    is: 'unknown', summary: 'Down from Osaka and Paris; the examinations do not show why.',
  },
  'no address in one region': {
    observations: [unresolved('Osaka', { resolvers: [{ server: '192.0.2.53', answer: [], error: 'SERVFAIL' }] }), up],
    is: 'dns', summary: 'Only from Osaka: the name does not resolve (192.0.2.53: SERVFAIL); it resolves from Paris.',
  },
  'no address in any region': {
    observations: [unresolved('Osaka'), unresolved('Paris')],
    is: 'dns', summary: 'The name does not resolve from Osaka or Paris (192.0.2.53: NXDOMAIN).',
  },
  'no record that a DNS monitor checks': {
    observations: [unresolved('Osaka'), unresolved('Paris')], given: { is_dns: true },
    is: 'unknown', summary: 'Down from Osaka and Paris; the examinations do not show why.',
  },
  'a wrong address, which another name server contradicts': {
    observations: [wrong([TARGET]), up],
    is: 'dns', summary: 'Only from Osaka: the name resolves to 192.0.2.66, but to 203.0.113.7 from Paris.',
  },
  'a wrong IPv4 address next to a right IPv6 address': {
    observations: [partlyWrong('timeout'), both('Paris')],
    is: 'dns', summary: 'Only from Osaka: the name resolves to 192.0.2.66, but to 203.0.113.7 from Paris.',
  },
  'another IPv4 address that works, next to a right IPv6 address': {
    observations: [partlyWrong('open'), both('Paris')],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'an address by region, on which all name servers there agree': {
    observations: [wrong(['192.0.2.66']), up],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'an expired certificate on one of two addresses': {
    observations: [failing('Osaka', BAD_TLS, {
      connections: [connection('open', TARGET, EXPIRED), connection('open', OTHER, certificate())],
    }), seen('Paris', {
      connections: [connection('open', OTHER, certificate()), connection('open', TARGET, EXPIRED)],
    })],
    is: 'certificate', summary: 'The certificate at 203.0.113.7 expired on 2026-05-30, as seen from Osaka and Paris; '
      + 'the certificate at 203.0.113.8 is valid.',
  },
  'a certificate of an unknown authority': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, BAD_TLS, {
      connections: [connection('open', TARGET, certificate({ problem: 'SELF_SIGNED' }))],
    })),
    is: 'certificate',
    summary: 'The certificate at 203.0.113.7 is invalid (SELF_SIGNED), as seen from Osaka and Paris.',
  },
  'a bad certificate that only one probe gets': {
    observations: [failing('Osaka', BAD_TLS, { connections: [connection('open', TARGET, EXPIRED)] }),
      seen('Paris', { connections: [connection('open', TARGET, certificate())] })],
    is: 'unknown', summary: 'Down from Osaka and up from Paris; the examinations do not show why.',
  },
  'a bad certificate that the check ignores': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, STATUS, {
      connections: [connection('open', TARGET, EXPIRED)],
    })),
    is: 'target',
    summary: 'The target accepts connections from Osaka and Paris, but the check fails: Expected 200, got 503.',
  },
  'IPv6 refused in all regions': {
    observations: [halfBroken('Osaka', 'refused'), halfBroken('Paris', 'refused')],
    is: 'target', summary: 'The target refuses IPv6 connections from Osaka and Paris; IPv4 works.',
  },
  'IPv6 silent in one region': {
    observations: [halfBroken('Osaka', 'timeout'), both('Paris')],
    is: 'unknown', summary: 'Only from Osaka: IPv6 fails and IPv4 works; both work from Paris.',
  },
  'IPv6 broken on the way from one region': {
    observations: [halfBroken('Osaka', 'timeout', path(['2001:db8:1::1', null], { target: TARGET6 })), both('Paris')],
    is: 'path', summary: 'Only from Osaka: IPv6 path breaks after 2001:db8:1::1; reachable from Paris.',
  },
  'IPv6 silent in all regions': {
    observations: [halfBroken('Osaka', 'timeout'), halfBroken('Paris', 'timeout')],
    is: 'unknown', summary: 'From Osaka and Paris: IPv6 fails and IPv4 works.',
  },
  'a bad response to probes that lack IPv6': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, STATUS, {
      connections: [connection('open'), connection('unreachable', TARGET6)],
    })),
    is: 'target',
    summary: 'The target accepts connections from Osaka and Paris, but the check fails: Expected 200, got 503.',
  },
  'a target that refuses connections': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, REFUSED, { connections: [connection('refused')] })),
    is: 'target', summary: 'The target refuses connections from Osaka and Paris.',
  },
  'a silent target in a network that responds': {
    observations: [silent('Osaka', [FIRST, GATEWAY, null]), silent('Paris', [EDGE, GATEWAY, null])],
    is: 'target', summary: 'The target does not respond, but the paths from Osaka and Paris reach its network.',
  },
  'a silent target, whose neighbor responds': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), silent('Paris', [SECOND, EDGE, null])],
    given: { neighbor: NEIGHBOR },
    is: 'target',
    summary: 'The target does not respond to Osaka and Paris, while 203.0.113.9 in its network does.',
  },
  'a silent target without neighbors': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), silent('Paris', [SECOND, EDGE, null])],
    is: 'unknown', summary: 'Down from Osaka and Paris; the examinations do not show why.',
  },
  'a target that accepts connections and sends nothing': {
    observations: ['Osaka', 'Paris'].map((label) => failing(label, STALLED, { connections: [connection('stalled')] })),
    is: 'target',
    summary: 'The target accepts connections from Osaka and Paris, but the check fails: No TLS handshake within 2 s.',
  },
  'two targets of one network that become silent': {
    observations: [silent('Osaka', [FIRST, null]), silent('Paris', [SECOND, null])],
    given: { others: [other(['192.0.2.30', null], OTHER)] },
    is: 'edge',
    summary: '2 targets in 203.0.113.0/24 stopped responding within 90 s, and so did their networks.',
  },
  'three targets behind one router that become silent': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), silent('Paris', [SECOND, EDGE, null])],
    given: { others: [other([EDGE, null], '192.0.2.200', 'one'), other([EDGE], '192.0.2.201', 'two')] },
    is: 'edge',
    summary: '3 targets behind 198.51.100.99 stopped responding within 90 s, and so did their networks.',
  },
  'two monitors of one silent host': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), silent('Paris', [SECOND, EDGE, null])],
    given: { others: [other([EDGE, null], TARGET)] },
    is: 'unknown', summary: 'Down from Osaka and Paris; the examinations do not show why.',
  },
  'a silent target next to one that only one region misses': {
    observations: [silent('Osaka', [FIRST, EDGE, null]), silent('Paris', [SECOND, EDGE, null])],
    given: { others: [{ monitor_id: 'other', observations: [silent('Osaka', [EDGE], OTHER), seen('Paris')] }] },
    is: 'unknown', summary: 'Down from Osaka and Paris; the examinations do not show why.',
  },
  'a dead uplink of a probe': {
    observations: [failing('Osaka', TIMEOUT, { has_network: false, connections: [connection('timeout')] }), up],
    is: 'probe',
    summary: 'Only from Osaka, where the probe\'s own network is down; reachable from Paris.',
  },
  'a dead uplink of a probe, and another region that fails': {
    observations: [failing('Osaka', TIMEOUT, { has_network: false }), silent('Dallas', [FIRST, SECOND, null]), up],
    is: 'path', summary: 'Only from Dallas: path breaks after 198.51.100.7; reachable from Paris.',
  },
  'probes of one network': {
    observations: ['Osaka', 'Tokyo'].map((label) => (
      { ...failing(label, REFUSED, { connections: [connection('refused')] }), network: 'AS64500' }
    )),
    is: 'unknown', summary: 'Down from Osaka and Tokyo; no probe in another network could examine the target.',
  },
  'one probe': {
    observations: [failing('Osaka', REFUSED, { connections: [connection('refused')] })],
    is: 'unknown', summary: 'Down from Osaka; no probe in another network could examine the target.',
  },
  'no probe': { observations: [], is: 'unknown', summary: 'No probe could examine the target.' },
};

describe('the classification of an outage', () => {
  test.each(Object.entries(SITUATIONS))('%s', (_name, { observations, given, is, summary }) => {
    const verdict = decide(observations, given);
    expect([verdict.classification, verdict.summary]).toEqual([is, summary]);
    // The order of the observations means nothing.
    expect(decide(observations.toReversed(), given).classification).toBe(is);
    expect(verdict.decided_by.length).toBeGreaterThanOrEqual(observations.length);
  });

  test('has an example of each class', () => {
    const classes = new Set(Object.values(SITUATIONS).map(({ is }) => is));
    expect([...classes].toSorted()).toEqual(CLASSIFICATIONS.toSorted());
  });

  test('names what each probe saw', () => {
    expect(decide([silent('Osaka', [FIRST, SECOND, null]), up], {
      broken_edges: [{ from_probe: 'probe-Osaka', to_probe: 'probe-Paris' }],
    }).decided_by).toEqual([
      'Osaka: the check fails: No connection within 2 s; 198.51.100.7 is the last router that responds on the path to '
        + '203.0.113.7.',
      'Paris: the check succeeds.',
      'The probes in these regions cannot ping each other either.',
    ]);
  });

  test('claims nothing that a single probe says, whatever it says', () => {
    const states = fc.constantFrom('open', 'refused', 'unreachable', 'timeout', 'stalled' as const);
    const errors = fc.constantFrom(REFUSED, TIMEOUT, NO_NAME, BAD_TLS, STALLED, STATUS);
    const routers = fc.array(fc.constantFrom(null, FIRST, SECOND, EDGE, GATEWAY), { maxLength: 6 });
    fc.assert(fc.property(errors, fc.array(states, { maxLength: 3 }), routers, fc.boolean(), (error, all, hops, isWhole) => {
      const only = failing('Osaka', error, {
        connections: all.map((state, at) => connection(state, `203.0.113.${at + 7}`, EXPIRED)),
        path: path(hops, { is_complete: isWhole, large_packets: 'lost' }), examined_at: NOW,
      });
      expect(decide([only]).classification).toBe('unknown');
      expect(decide([only], { error, others: [other(hops, OTHER)] }).classification).toBe('unknown');
    }));
  });
});
