import { beforeEach, describe, expect, test } from 'vitest';
import { PeerPings } from '../../../probe/peer-pings.ts';
import type { PingReport, PingRequest } from '../../../probe/checks/icmp/pinger.ts';
import { meshReport } from '../../../shared/contracts/mesh.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const START_MS = 1_760_000_000_000;
const REPLIED: PingReport = { sent: 3, rttsMs: [3.00049, 2.5, 9], problem: null };
const SILENT: PingReport = { sent: 3, rttsMs: [], problem: null };

let clock: SimulatedClock;
let pings: { address: string; atMs: number }[];
let report: (request: PingRequest) => PingReport | Promise<PingReport>;
let denied: Set<string>;
let isCutOff: boolean;
let peerPings: PeerPings;

beforeEach(() => {
  clock = new SimulatedClock(START_MS);
  pings = [];
  report = () => REPLIED;
  denied = new Set();
  isCutOff = false;
  peerPings = new PeerPings({
    clock, log: createLog('test', 'silent'), allowsPrivate: false,
    pinger: {
      method: 'ping',
      ping: async (request) => {
        pings.push({ address: request.address, atMs: clock.monotonic() });
        return report(request);
      },
    },
    allowAddress: (address, allowPrivate) => !denied.has(address) && (allowPrivate || !address.startsWith('10.')),
    isCutOff: async () => isCutOff,
  });
  peerPings.start();
});

const order = (version: string, addresses: string[], allowPrivate = true) => peerPings.replace({
  version, allow_private: allowPrivate, peers: addresses.map((address) => ({ probe_id: `of ${address}`, address })),
});
const outcomes = () => peerPings.report.pings.map(({ probe_id: id, ok }) => `${id} ${ok}`);

describe('a probe pings its peers', () => {
  test('each once a minute, one after another', async () => {
    order('1', ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4']);
    await clock.advance(120_000);
    expect(pings.slice(0, 5)).toEqual([15, 30, 45, 60, 75].map((atS, nth) =>
      ({ address: `8.8.8.${nth % 4 + 1}`, atMs: atS * 1000 })));
    expect(pings).toHaveLength(8);
  });

  test('and reports the fastest round trip of the latest ping', async () => {
    order('1', ['8.8.8.1', '8.8.8.2']);
    await clock.advance(15_000);
    expect(meshReport.parse(peerPings.report)).toEqual({
      version: '1', allows_private: false,
      pings: [{ probe_id: 'of 8.8.8.1', pinged_at: START_MS + 15_000, ok: true, rtt_ms: 2.5 }],
    });
    report = () => SILENT;
    await clock.advance(60_000);
    expect(outcomes()).toEqual(['of 8.8.8.1 false', 'of 8.8.8.2 false']);
  });

  test('and none before it has any', async () => {
    await clock.advance(60_000);
    expect(pings).toEqual([]);
    expect(peerPings.report).toEqual({ version: '', allows_private: false, pings: [] });
  });

  test('unless its own settings or the order deny the address', async () => {
    denied.add('8.8.8.1');
    order('1', ['8.8.8.1', '10.0.0.1', '8.8.8.2'], false);
    await clock.advance(60_000);
    expect(pings.map(({ address }) => address)).toEqual(['8.8.8.2']);
  });

  test('and keeps what it knows of those that stay', async () => {
    order('1', ['8.8.8.1', '8.8.8.2']);
    await clock.advance(60_000);
    order('2', ['8.8.8.2', '8.8.8.3']);
    expect(peerPings.report).toMatchObject({ version: '2', pings: [{ probe_id: 'of 8.8.8.2' }] });
  });
});

describe('a ping is not reported', () => {
  beforeEach(async () => {
    order('1', ['8.8.8.1']);
    await clock.advance(60_000);
  });

  test('if this machine could not send it', async () => {
    report = () => ({ sent: 0, rttsMs: [], problem: { whose: 'own', reason: 'overload' } });
    await clock.advance(60_000);
    expect(outcomes()).toEqual(['of 8.8.8.1 true']);
  });

  test('if it got no reply because the uplink is lost', async () => {
    report = () => SILENT;
    isCutOff = true;
    await clock.advance(60_000);
    expect(outcomes()).toEqual(['of 8.8.8.1 true']);
    isCutOff = false;
    await clock.advance(60_000);
    expect(outcomes()).toEqual(['of 8.8.8.1 false']);
  });

  test('if it fails by an error', async () => {
    report = () => {
      throw new Error('no socket');
    };
    await clock.advance(60_000);
    expect(outcomes()).toEqual(['of 8.8.8.1 true']);
  });

  test('if the peers were replaced meanwhile', async () => {
    report = () => {
      order('2', ['8.8.8.2']);
      return SILENT;
    };
    await clock.advance(15_000);
    expect(outcomes()).toEqual([]);
  });
});
