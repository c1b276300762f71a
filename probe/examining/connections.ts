import PQueue from 'p-queue';
import { EXAMINATION_LIMITS, type Examination } from '../../shared/contracts/examination.ts';
import type { CheckContext } from '../checks/check.ts';
import { lookUp, type Network, type Outcome } from '../checks/dns/lookup.ts';
import { questionFor } from '../checks/dns/question.ts';
import { plainAddress } from '../checks/icmp/echo-socket.ts';
import type { Pinger } from '../checks/icmp/pinger.ts';
import { conversationOf } from '../checks/tcp/conversations.ts';
import { visit, type VisitResult } from '../checks/tcp/visit.ts';
import type { TlsPeer } from '../checks/tls/peer.ts';
import type { Contact } from './subject.ts';

type Connection = Examination['connections'][number];
type State = Connection['state'];

export interface ContactTools {
  context: CheckContext;
  network: Network;
  pinger: Pinger | null;
}

const MAX_CONCURRENT = 8;

/** Contacts each of the addresses, which the caller has vetted, as the monitor's check would. */
export async function contactAll(
  tools: ContactTools, contact: Contact, addresses: readonly string[], timeoutMs: number,
): Promise<Connection[]> {
  const queue = new PQueue({ concurrency: MAX_CONCURRENT });
  const shareMs = timeoutMs / Math.ceil(addresses.length / MAX_CONCURRENT);
  const contacts = addresses.map((address) => queue.add(() => contactOne(tools, contact, address, shareMs)));
  return (await Promise.all(contacts)).filter((connection) => connection !== null);
}

async function contactOne(
  tools: ContactTools, contact: Contact, address: string, timeoutMs: number,
): Promise<Connection | null> {
  switch (contact.by) {
    case 'tcp': return connect(tools.context, contact, address, timeoutMs);
    case 'ping': return ping(tools.pinger, contact.spec, address, timeoutMs);
    case 'dns': {
      const { name, record_entries: [entry] } = contact.spec;
      const question = entry ? questionFor(name, entry.type) : null;
      if (question === null) return null;
      const outcome = await lookUp(tools.network, [{ address, port: contact.port }], question, timeoutMs);
      return { address, state: stateOfServer(outcome), tls: null };
    }
    case 'none': return null;
  }
}

async function connect(
  { trust, version, clock }: CheckContext, contact: Extract<Contact, { by: 'tcp' }>, address: string, timeoutMs: number,
): Promise<Connection> {
  const { service, port, verifies } = contact;
  const result = await visit({
    address, port, host: service.host, isImplicitTls: service.tls === 'implicit', clock,
    context: verifies ? trust.context : trust.lenient, timeoutMs, connectTimeoutMs: timeoutMs,
    converse: (localAddress) => conversationOf(service, { address: localAddress, version }),
  });
  return { address, state: stateOf(result), tls: result.tls && handshakeOf(result.tls, verifies) };
}

function stateOf({ failed, firstByteAt, tls }: VisitResult): State {
  if (failed === null) return 'open';
  const isTimeout = failed.code === 'TIMEOUT' || failed.code === 'ETIMEDOUT';
  if (failed.phase === 'connect') return isTimeout ? 'timeout' : stateOfError(failed.code);
  const isStalled = failed.phase === 'tls' ? tls === null : firstByteAt === 0;
  return isTimeout && isStalled ? 'stalled' : 'open';
}

function stateOfError(code: string): State {
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'refused' : 'unreachable';
}

/** The problem is null if the check accepts any certificate. */
function handshakeOf(peer: TlsPeer, verifies: boolean): Connection['tls'] {
  const { protocol, issuer, expires_at, fingerprint256 } = peer.facts();
  return {
    protocol, issuer: issuer.slice(0, EXAMINATION_LIMITS.text), valid_to: expires_at, fingerprint256,
    problem: verifies ? (peer.problemMessage?.slice(0, EXAMINATION_LIMITS.text) ?? null) : null,
  };
}

async function ping(
  pinger: Pinger | null, spec: Extract<Contact, { by: 'ping' }>['spec'], address: string, timeoutMs: number,
): Promise<Connection | null> {
  if (!pinger) return null;
  const responseTimeoutMs = timeoutMs / 2;
  const { rttsMs, problem } = await pinger.ping({
    address: plainAddress(address), count: 1, size: spec.packet_size, ttl: spec.ttl,
    plan: { intervalMs: 0, responseTimeoutMs }, maxQueueMs: timeoutMs - responseTimeoutMs,
  });
  const state = rttsMs.length > 0 ? 'open' : problem === null ? 'timeout' : 'unreachable';
  return { address, state, tls: null };
}

function stateOfServer(outcome: Outcome): State {
  if (outcome.kind === 'silent') return 'timeout';
  return outcome.kind === 'down' ? stateOfError(outcome.code) : 'open';
}
