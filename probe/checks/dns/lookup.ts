import type { Clock } from '../../../shared/time.ts';
import { correctCode } from '../network/own-route.ts';
import type { NameServer } from '../network/system-servers.ts';
import { queryByTcp } from './query-by-tcp.ts';
import type { Question } from './question.ts';
import { RCODES, type DnsResponse } from './response.ts';
import type { NoResponse, UdpSockets } from './udp-sockets.ts';

/** Wait for one answer by UDP before the question is sent again, or to the next server, ms. */
const ATTEMPT_TIMEOUT_MS = 2000;

type Conclusion = Exclude<DnsResponse, { kind: 'unrelated' | 'truncated' }> | NoResponse;

/** What became of one question, at which server. */
export type Outcome = { server: NameServer; via: 'UDP' | 'TCP' } & Conclusion;

export interface Network {
  clock: Clock;
  udp: UdpSockets;
}

/**
 * Asks `servers` (at least one) in turn within `timeoutMs`, again and again while they are silent. Records
 * and NXDOMAIN are the answer. A server that fails, refuses or makes no sense is not asked again; once there
 * is no other, its outcome is the answer. Never rejects.
 */
export async function lookUp(
  { clock, udp }: Network, servers: readonly NameServer[], question: Question, timeoutMs: number,
): Promise<Outcome> {
  const endsAtMs = clock.monotonic() + timeoutMs;
  let candidates = servers;
  let hadUnrelated = false;
  let failed: Outcome | null = null;
  for (let turn = 0; ; turn += 1) {
    const server = candidates[turn % candidates.length] as NameServer;
    const outcome = await queryServer({ clock, udp }, server, question, endsAtMs);
    if (outcome.kind === 'down') await correctCode(outcome, server.address);
    if (isFinal(outcome)) return outcome;
    if (outcome.kind === 'silent') hadUnrelated ||= outcome.hadUnrelated;
    else {
      // An answer tells more than a socket that failed.
      failed = failed === null || failed.kind === 'down' ? outcome : failed;
      candidates = candidates.filter((each) => each !== server);
      turn -= 1;
      if (candidates.length === 0) return failed;
    }
    // Timers count whole milliseconds.
    if (endsAtMs - clock.monotonic() < 1) return { server, via: outcome.via, kind: 'silent', hadUnrelated };
  }
}

function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'records' || (outcome.kind === 'error' && outcome.rcode === RCODES.NXDOMAIN);
}

/** One question to one server: by UDP, without EDNS if it knows none, and by TCP if the answer is long. */
async function queryServer(
  { clock, udp }: Network, server: NameServer, question: Question, endsAtMs: number,
): Promise<Outcome> {
  const query = { question, withEdns: true, timeoutMs: leftMs(clock, endsAtMs, ATTEMPT_TIMEOUT_MS) };
  let response = await udp.query(server, query);
  if (response.kind === 'error' && response.rcode === RCODES.FORMERR) {
    query.withEdns = false;
    query.timeoutMs = leftMs(clock, endsAtMs, ATTEMPT_TIMEOUT_MS);
    response = await udp.query(server, query);
  }
  if (response.kind === 'records') {
    // Spelled out, since it runs most: that is faster.
    const { kind, values, alias, isReferral } = response;
    return { server, via: 'UDP', kind, values, alias, isReferral };
  }
  if (response.kind !== 'truncated') return { server, via: 'UDP', ...concluded(response) };
  query.timeoutMs = leftMs(clock, endsAtMs, Infinity);
  return { server, via: 'TCP', ...concluded(await queryByTcp(clock, server, query)) };
}

function leftMs(clock: Clock, endsAtMs: number, maxMs: number): number {
  return Math.max(0, Math.min(maxMs, endsAtMs - clock.monotonic()));
}

function concluded(response: DnsResponse | NoResponse): Conclusion {
  if (response.kind === 'unrelated') return { kind: 'malformed', problem: 'it answers a different question' };
  if (response.kind === 'truncated') return { kind: 'malformed', problem: 'it is truncated even over TCP' };
  return response;
}
