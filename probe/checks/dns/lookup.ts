import type { Clock } from '../../../shared/time.ts';
import { correctCode } from '../network/own-route.ts';
import type { NameServer } from '../network/system-servers.ts';
import { askByTcp } from './ask-by-tcp.ts';
import type { Question } from './question.ts';
import { RCODES, type Reply } from './reply.ts';
import type { NoReply, UdpSockets } from './udp-sockets.ts';

/** Wait for one answer by UDP before the question is sent again, or to the next server, ms. */
const TRY_MS = 2000;

type Conclusion = Exclude<Reply, { kind: 'stray' | 'truncated' }> | NoReply;

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
  let asked = servers;
  let hadStrays = false;
  let failed: Outcome | null = null;
  for (let turn = 0; ; turn += 1) {
    const server = asked[turn % asked.length] as NameServer;
    const outcome = await askServer({ clock, udp }, server, question, endsAtMs);
    if (outcome.kind === 'down') await correctCode(outcome, server.address);
    if (isFinal(outcome)) return outcome;
    if (outcome.kind === 'silent') hadStrays ||= outcome.hadStrays;
    else {
      // An answer tells more than a socket that failed.
      failed = failed === null || failed.kind === 'down' ? outcome : failed;
      asked = asked.filter((each) => each !== server);
      turn -= 1;
      if (asked.length === 0) return failed;
    }
    // Timers count whole milliseconds.
    if (endsAtMs - clock.monotonic() < 1) return { server, via: outcome.via, kind: 'silent', hadStrays };
  }
}

function isFinal(outcome: Outcome): boolean {
  return outcome.kind === 'records' || (outcome.kind === 'error' && outcome.rcode === RCODES.NXDOMAIN);
}

/** One question to one server: by UDP, without EDNS if it knows none, and by TCP if the answer is long. */
async function askServer(
  { clock, udp }: Network, server: NameServer, question: Question, endsAtMs: number,
): Promise<Outcome> {
  const query = { question, withEdns: true, timeoutMs: leftMs(clock, endsAtMs, TRY_MS) };
  let reply = await udp.ask(server, query);
  if (reply.kind === 'error' && reply.rcode === RCODES.FORMERR) {
    query.withEdns = false;
    query.timeoutMs = leftMs(clock, endsAtMs, TRY_MS);
    reply = await udp.ask(server, query);
  }
  if (reply.kind === 'records') {
    // Spelled out, since it runs most: that is faster.
    const { kind, values, alias, isReferral } = reply;
    return { server, via: 'UDP', kind, values, alias, isReferral };
  }
  if (reply.kind !== 'truncated') return { server, via: 'UDP', ...concluded(reply) };
  query.timeoutMs = leftMs(clock, endsAtMs, Infinity);
  return { server, via: 'TCP', ...concluded(await askByTcp(clock, server, query)) };
}

function leftMs(clock: Clock, endsAtMs: number, mostMs: number): number {
  return Math.max(0, Math.min(mostMs, endsAtMs - clock.monotonic()));
}

function concluded(reply: Reply | NoReply): Conclusion {
  if (reply.kind === 'stray') return { kind: 'malformed', problem: 'it answers a different question' };
  if (reply.kind === 'truncated') return { kind: 'malformed', problem: 'it is truncated even over TCP' };
  return reply;
}
