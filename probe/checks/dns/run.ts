import type { DnsSpec } from '../../../shared/contracts/check-spec.ts';
import type { DnsRecordType } from '../../../shared/dns-values.ts';
import {
  missed, success, type CheckContext, type Finding, type LazyTargetFacts, type ObservedResponse,
} from '../check.ts';
import { Deadline } from '../deadline.ts';
import { isOwnFault } from '../network/problems.ts';
import { serverText, type NameServer, type SystemServers } from '../network/system-servers.ts';
import { Target } from '../network/target.ts';
import { responsesText } from './responses-text.ts';
import { isInternalOutcome } from './internal-names.ts';
import { lookUp, type Network, type Outcome } from './lookup.ts';
import { planFor, type Plan } from './plan.ts';
import type { Question } from './question.ts';
import { faultOf } from './outcome-faults.ts';

export interface DnsResources {
  context: CheckContext;
  network: Network;
  systemServers: SystemServers;
  /** Weak: dropped together with the specs. */
  plans: WeakMap<DnsSpec, Plan>;
}

type Outcomes = Map<DnsRecordType, Outcome>;

/** One DNS check: queries all record types concurrently, then evaluates each entry in turn. */
export class DnsRun implements ObservedResponse, LazyTargetFacts {
  readonly #resources: DnsResources;
  readonly #spec: DnsSpec;
  readonly #deadline: Deadline;
  readonly #target: Target;
  readonly #plan: Plan;
  readonly #isAllowed: (address: string) => boolean;
  /** Whether internal names and addresses must not be revealed. */
  readonly #hidesInternals: boolean;
  #outcomes: Outcomes = new Map();

  constructor(resources: DnsResources, spec: DnsSpec, timeoutMs: number, allowPrivate?: boolean) {
    this.#resources = resources;
    this.#spec = spec;
    this.#deadline =
      new Deadline(resources.context.clock, Math.min(timeoutMs, spec.resolution_timeout_ms));
    this.#plan = planFor(resources.plans, spec);
    this.#target = new Target(resources.context, this.#deadline, allowPrivate);
    this.#isAllowed = (address) => resources.context.allowAddress(address, allowPrivate);
    this.#hidesInternals = resources.context.refusesPrivate?.(allowPrivate) ?? false;
  }

  get addresses(): readonly string[] {
    return this.#target.addresses;
  }

  get name(): string {
    return this.#spec.name;
  }

  get nameAddresses(): readonly string[] {
    let found: readonly string[] = [];
    for (const [type, outcome] of this.#outcomes) {
      if (outcome.kind !== 'records' || (type !== 'A' && type !== 'AAAA')) continue;
      found = found.length === 0 ? outcome.values : [...found, ...outcome.values];
    }
    return found;
  }

  get head(): null {
    return null;
  }

  get body(): string | null {
    return responsesText(this.#spec.name, this.#outcomes);
  }

  async run(): Promise<Finding> {
    const { server } = this.#spec;
    const { questions, isInternal } = this.#plan;
    if (questions === null) return missed('unsupported');
    if (isInternal && this.#hidesInternals) return missed('blocked_target');
    if (server === null) {
      const servers = this.#resources.systemServers.current();
      if (servers.length === 0) return missed('probe_unhealthy');
      this.#outcomes = await this.#query(questions, servers, this.#deadline.leftMs);
    } else {
      const unreached = await this.#target.reach(server.host, 'any', async (address, shareMs) => {
        const outcomes = await this.#query(questions, [{ address, port: server.port }], shareMs);
        const isReached = [...outcomes.values()].some(({ kind }) => kind !== 'silent' && kind !== 'down');
        // As with connections (see `moreInformative`), the first address counts if no other is reached.
        const isBetter = [...this.#outcomes.values()]
          .every((one) => one.kind === 'down' && isOwnFault(one.code));
        if (isReached || isBetter) this.#outcomes = outcomes;
        return isReached;
      });
      if (unreached?.outcome === 'failure') return { ...unreached, ...this.#known() };
      if (unreached) return unreached;
    }
    return this.#evaluate();
  }

  async #query(
    questions: readonly Question[], servers: readonly NameServer[], timeoutMs: number,
  ): Promise<Outcomes> {
    const outcomes: Outcomes = new Map();
    const query = async (question: Question): Promise<void> => {
      outcomes.set(question.type, await lookUp(this.#resources.network, servers, question, timeoutMs));
    };
    await (questions.length === 1 ? query(questions[0] as Question) : Promise.all(questions.map(query)));
    return outcomes;
  }

  #evaluate(): Finding {
    const { name, server } = this.#spec;
    // Before evaluating entries: the evidence of a failure shows all responses.
    const outcomes = this.#hidesInternals ? [...this.#outcomes.values()] : [];
    if (outcomes.some((outcome) => isInternalOutcome(outcome, this.#isAllowed))) return missed('blocked_target');
    for (const entry of this.#plan.entries) {
      const outcome = this.#outcomes.get(entry.type) as Outcome;
      const known = this.#known(outcome.server.address);
      if (outcome.kind === 'silent') return this.#timedOut(entry.type, outcome, known);
      const fault = faultOf(name, entry, outcome, server === null);
      if (fault) return fault.outcome === 'missed' ? fault : { ...fault, ...known };
    }
    return success(this.#known((this.#outcomes.values().next().value as Outcome).server.address));
  }

  #timedOut(
    type: DnsRecordType, { server, via, hadUnrelated }: Extract<Outcome, { kind: 'silent' }>,
    known: Partial<Finding>,
  ): Finding {
    const unrelatedNote = hadUnrelated ? '; received messages that match no query of this probe' : '';
    const question = `${type} of ${this.#spec.name}${unrelatedNote}`;
    if (this.#spec.server === null) return this.#deadline.nameServersTimedOut(question, known);
    const activity = `asking ${serverText(server)} by ${via} for ${question}`;
    return this.#deadline.timedOut('dns', activity, known);
  }

  #known(
    address: string | null = null,
  ): Pick<Finding, 'response_time_ms' | 'timings' | 'remote_address' | 'facts' | 'observed'> {
    const elapsedMs = this.#deadline.elapsedMs;
    return {
      response_time_ms: elapsedMs, timings: { dns: elapsedMs }, remote_address: address,
      facts: this, observed: this,
    };
  }
}
