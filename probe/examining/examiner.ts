import { isIP } from 'node:net';
import PQueue from 'p-queue';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { EXAMINATION_LIMITS, EXAMINATION_MS, type Examination } from '../../shared/contracts/examination.ts';
import { within } from '../../shared/time.ts';
import { missed, type CheckContext, type Finding } from '../checks/check.ts';
import { Deadline } from '../checks/deadline.ts';
import { isInternalName } from '../checks/dns/internal-names.ts';
import { UdpSockets } from '../checks/dns/udp-sockets.ts';
import type { SystemResolver } from '../checks/network/resolver.ts';
import type { SystemServers } from '../checks/network/system-servers.ts';
import { judged } from '../runner/inverted.ts';
import { concealed } from './concealed.ts';
import { contactAll, type ContactTools } from './connections.ts';
import { askEach } from './name-servers.ts';
import { tracePath, untraced, type TraceTools } from './path.ts';
import { subjectOf, type Subject } from './subject.ts';

export interface ExaminerParts {
  context: CheckContext & { resolver: SystemResolver; systemServers: SystemServers };
  trace: TraceTools;
  /** Runs one check; never rejects. */
  check: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean) => Promise<Finding>;
  /** Whether this probe has lost the network, now or at any time since `sinceMs` (monotonic). */
  isCutOff: (sinceMs: number) => Promise<boolean>;
}

const FAMILIES = [4, 6] as const;
const MAX_CONCURRENT = 4;
const MAX_QUEUED = 8;
const MAX_QUEUE_MS = 1000;
/** Time left to build the response. */
const SPARE_MS = 200;
/** So that many addresses of one family leave room for the other. */
const MAX_ADDRESSES_PER_FAMILY = EXAMINATION_LIMITS.addresses / 2;

/** Reasons not to examine a target: this probe must not or cannot check it, or is overloaded. */
const UNEXAMINED: readonly (Finding['missed'])[] = ['blocked_target', 'unsupported', 'overload', 'clock_jump'];

/** Examines targets and the paths to them, a few at a time and within EXAMINATION_MS each. */
export class Examiner {
  readonly #parts: ExaminerParts;
  readonly #contact: ContactTools;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
    const { context, trace } = parts;
    const { clock } = context;
    this.#contact = { context, network: { clock, udp: new UdpSockets(clock) }, pinger: trace.pinger };
  }

  /**
   * Null if this probe must not or cannot examine the target: its address is denied, its check is not
   * supported here, or too many examinations are running.
   */
  examine(assignment: Assignment): Promise<Examination | null> {
    const { clock } = this.#parts.context;
    if (this.#queue.size >= MAX_QUEUED) return Promise.resolve(null);
    const deadline = new Deadline(clock, EXAMINATION_MS - SPARE_MS);
    return new Promise((resolve) => {
      let hasGivenUp = false;
      const timer = clock.setTimer(MAX_QUEUE_MS, () => {
        hasGivenUp = true;
        resolve(null);
      });
      void this.#queue.add(async () => {
        if (hasGivenUp) return;
        timer.cancel();
        const examination = this.#examine(assignment, deadline);
        resolve(examination);
        // The caller handles an error, not the queue.
        await examination.catch(() => undefined);
      });
    });
  }

  async #examine(assignment: Assignment, deadline: Deadline): Promise<Examination | null> {
    const { monitor_id, spec, allow_private: allowPrivate } = assignment;
    const { context: { clock, allowAddress } } = this.#parts;
    const subject = subjectOf(spec);
    if (subject === null) return null;
    const isAllowed = (address: string): boolean => allowAddress(address, allowPrivate);
    const examined_at = clock.now();
    const lookups = this.#lookUp(subject, isAllowed, deadline);
    const [{ finding, isCutOff }, addresses, resolvers, connections, path] = await Promise.all([
      this.#check(assignment, deadline),
      Promise.all(lookups),
      this.#askNameServers(subject, allowPrivate, deadline),
      Promise.all(lookups.map(async (lookup) =>
        contactAll(this.#contact, subject.contact, await lookup, deadline.leftMs))),
      this.#trace(subject, lookups, deadline),
    ]);
    if (UNEXAMINED.includes(finding.missed)) return null;
    return concealed(spec, {
      monitor_id, examined_at, sees: finding.outcome === 'success' ? 'up' : 'down', error: finding.error,
      addresses: addresses.flat(), resolvers, path, connections: connections.flat(),
      has_network: !isCutOff && finding.missed !== 'probe_unhealthy',
    });
  }

  /** Like the runner: a failure while this probe is cut off says nothing about the target. */
  async #check({ spec, timeout_ms, allow_private }: Assignment, deadline: Deadline) {
    const { context: { clock }, check, isCutOff } = this.#parts;
    const [found, wasCutOff] = await Promise.all([
      check(spec, Math.floor(Math.min(timeout_ms, deadline.leftMs)), allow_private),
      within(clock, deadline.leftMs, isCutOff(clock.monotonic())),
    ]);
    const seen = found.outcome === 'failure' && wasCutOff !== false ? missed('probe_unhealthy') : found;
    return { finding: judged(spec, seen), isCutOff: wasCutOff !== false };
  }

  /** The allowed addresses of each family that the check uses, in the order in which it tries them. */
  #lookUp(
    { host, family }: Subject, isAllowed: (address: string) => boolean, deadline: Deadline,
  ): Promise<string[]>[] {
    if (host === null) return [];
    return FAMILIES.filter((each) => family === 'any' || family === `ipv${each}`).map(async (each) => {
      const found = await this.#addresses(host, each, deadline);
      return found.filter(isAllowed).slice(0, MAX_ADDRESSES_PER_FAMILY);
    });
  }

  async #addresses(host: string, family: 4 | 6, deadline: Deadline): Promise<readonly string[]> {
    const { clock, resolver } = this.#parts.context;
    if (isIP(host) !== 0) return isIP(host) === family ? [host] : [];
    const resolution = await within(clock, deadline.leftMs, resolver.resolve(host, family));
    return resolution?.ok ? resolution.addresses : [];
  }

  async #askNameServers(
    { question, host }: Subject, allowPrivate: boolean, deadline: Deadline,
  ) {
    const { resolver, systemServers, refusesPrivate, allowAddress } = this.#parts.context;
    const isOwnName =
      host !== null && FAMILIES.some((family) => resolver.ownAddresses(host, family).length > 0);
    if (question === null || isOwnName) return [];
    // Like DNS checks, never asks name servers about internal names.
    if (refusesPrivate?.(allowPrivate) && isInternalName(question.name.toLowerCase())) return [];
    const isAllowed = (address: string): boolean => allowAddress(address, allowPrivate);
    return askEach(this.#contact.network, systemServers.current(), question, isAllowed, deadline.leftMs);
  }

  /** To the first address that the check tries. */
  async #trace({ contact }: Subject, lookups: readonly Promise<string[]>[], deadline: Deadline) {
    const { context: { clock }, trace } = this.#parts;
    for (const lookup of lookups) {
      const [address] = await lookup;
      if (address === undefined) continue;
      return tracePath({ clock, ...trace }, address, contact.by === 'tcp' ? contact.port : null, deadline.leftMs);
    }
    return untraced('No address to trace');
  }
}
