import type { Clock } from '../../../shared/time.ts';
import { correctCode } from '../network/own-route.ts';
import type { NameServer } from '../network/system-servers.ts';
import { queryByTcp } from './query-by-tcp.ts';
import type { Question } from './question.ts';
import { RCODES, type DnsResponse } from './response.ts';
import type { NoResponse, UdpSockets } from './udp-sockets.ts';

/** Timeout for a UDP response before the query is resent or goes to the next server. */
const ATTEMPT_TIMEOUT_MS = 2000;

type Conclusion = Exclude<DnsResponse, { kind: 'unrelated' | 'truncated' }> | NoResponse;

/** Outcome of one query at one server. */
export type Outcome = { server: NameServer; via: 'UDP' | 'TCP' } & Conclusion;

export interface Network {
  clock: Clock;
  udp: UdpSockets;
}

/**
 * Queries `servers` (at least one) in turn within `timeoutMs`, repeating while they time out. Records and
 * NXDOMAIN settle it. A server that fails, refuses or sends garbage isn't asked again; if none is left, its
 * outcome counts. Never rejects.
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
      // A response is more informative than a failed socket.
      failed = failed === null || failed.kind === 'down' ? outcome : failed;
      candidates = candidates.filter((each) => each !== server);
      turn -= 1;
      if (candidates.length === 0) return failed;
    }
    // Timers have millisecond resolution.
    if (endsAtMs - clock.monotonic() < 1) return { server, via: outcome.via, kind: 'silent', hadUnrelated };
  }
}

function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'records' || (outcome.kind === 'error' && outcome.rcode === RCODES.NXDOMAIN);
}

/**
 * Sends one query to one server: by UDP, without EDNS if unsupported, and by TCP if the response is
 * truncated.
 */
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
    // Inlined for speed, since it runs most often.
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
