import type { ShardMap } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { CauseDecider, type CauseDeciderDeps } from '../causes/decider.ts';
import type { AttemptDeps } from '../delivery/attempt.ts';
import { CLAIM_MS } from '../delivery/attempt-steps.ts';
import { fanOutEnd } from '../delivery/causes/fan-out-end.ts';
import { Placement } from '../delivery/causes/placement.ts';
import { FanOut } from '../delivery/fan-out.ts';
import { DependencyGate } from '../dependencies/gate.ts';
import type { Conditions } from '../destinations/conditions.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import { IncidentOutbox } from '../incidents/outbox.ts';
import type { Tenant } from '../access/tenant.ts';
import { WorkClaims } from '../work/claimed-work.ts';
import { RehearsedCauses } from './in-memory/causes.ts';
import { RehearsedDeliveries } from './in-memory/deliveries.ts';
import { RehearsedHeldAlerts } from './in-memory/held-alerts.ts';
import { RehearsedIncidents } from './in-memory/incidents.ts';
import { RehearsedThreads } from './in-memory/threads.ts';

export interface AlertingDeps {
  tenant: Tenant;
  conditions: Conditions;
  /** How many monitors of the organization have each feature, and how many there are. */
  population: { having: ReadonlyMap<string, number>; total: number };
  /** Null for a monitor that was deleted. */
  groupingOf(monitorId: string): Promise<{ tags: string[]; groupIds: string[] } | null>;
  shardMap: ShardMap;
}

type Decided = Parameters<CauseDeciderDeps['decisions']['follow']>[1];
/** Called with the thread of a message about a cause. */
type OnMessage = ConstructorParameters<typeof RehearsedThreads>[0];

/**
 * The product's own parts that turn events of monitors into messages, with collections in memory and a
 * receiver that accepts everything.
 */
export function openAlerting(deps: AlertingDeps, clock: Clock, onMessage: OnMessage) {
  const { tenant, population, groupingOf, shardMap } = deps;
  const [incidents, causes] = [new RehearsedIncidents(), new RehearsedCauses()];
  const held = new RehearsedHeldAlerts();
  const [deliveries, threads] = [new RehearsedDeliveries(), new RehearsedThreads(onMessage)];
  const destination = destinationOf(tenant, deps.conditions);
  const destinations = {
    named: async (_tenant: Tenant, ids: string[]) => (ids.includes(destination._id) ? [destination] : []),
    defaults: async () => [destination],
    ofOrganization: async () => [destination], findById: async () => destination, ensureSecret: async () => '',
  };
  const queues = { wake: nothing, recordFailure: async () => false, recordReached: nothing };
  const windows = { admit: async () => null };
  const monitors = { counts: async () => new Map(population.having), total: async () => population.total };
  const notify = () => undefined;
  const decider = new CauseDecider({
    causes, decisions: lastDecision(), incidents, monitors,
    onEnded: (cause) => fanOutEnd({ threads, deliveries, destinations, queues, notify, clock }, cause),
  });
  const alerts = new FanOut({
    destinations, deliveries, incidents, causes, groupingOf, queues, windows, notify, clock,
    underDiagnosis: new Map(),
    regions: { named: (ids) => ids.map((id) => ({ id, name: id, city: null })) },
  });
  const attempt: AttemptDeps = {
    runInTurn: (work) => work(),
    deliveries, threads, causes, incidents, destinations, queues, windows, clock,
    placement: new Placement({ deliveries, threads, causes, incidents, monitors, clock }),
    digests: { claim: async () => true, release: nothing },
    claims: new WorkClaims({ clock, holder: '', ttlMs: CLAIM_MS }),
    health: queues, suppressions: { isStopped: async () => false }, random: () => 0,
    onFailing: () => undefined,
    sending: {
      poster: { post: async () => ({ kind: 'responded', status: 200, durationMs: 0, retryAfterMs: null }) },
      mailer: { send: () => Promise.reject(new Error('a rehearsal sends no mail')) },
      destinations, clock, baseUrl: () => '', recipientTokens: { link: () => '' }, acknowledgeTokens: { link: () => '' },
    },
  };
  const records = { updates: { insertIfAbsent: nothing }, votes: { insertIfAbsent: nothing } };
  return {
    incidents, held, deliveries, attempt, decider,
    outbox: new IncidentOutbox({ incidents, causes: decider, ...records }, clock),
    /** `all` sends each alert at once; `gate` holds those of monitors whose dependencies are down. */
    alerts: {
      all: alerts,
      gate: new DependencyGate({ alerts, held, onHeld: () => undefined, shardMap, clock }),
    },
    /** Carries out decisions on held alerts. The next stored results stand for the recheck. */
    steps: {
      held, clock, incidents, recheck: () => undefined,
      alerts: { fanOut: (alert: Parameters<FanOut['fanOut']>[0]) => alerts.fanOut(alert), logHeld: nothing },
    },
  };
}

async function nothing(): Promise<void> {}

/** One receiver, of a type without its own rules for hours and grouping. */
function destinationOf({ organizationId, projectId }: Tenant, conditions: Conditions): DestinationDoc {
  return {
    _id: 'rehearsal', organization_id: organizationId, project_id: projectId, created_by: '', name: 'rehearsal',
    enabled: true, is_default: true, events: ['monitor.down', 'monitor.up'], secret: null, revision: 1,
    managed_by: null, created_at: 0, updated_at: 0, type: 'ntfy', config: { topic: 'rehearsal' },
    grouping: 'off', ...conditions,
  };
}

/** No other controller decides, so each decision follows the last one. */
function lastDecision(): CauseDeciderDeps['decisions'] {
  let last: Decided | null = null;
  return {
    latest: async () => last,
    follow: async (_seen, next) => {
      last = next;
      return true;
    },
    markApplied: async () => {
      if (last) last.is_applied = true;
    },
  };
}
