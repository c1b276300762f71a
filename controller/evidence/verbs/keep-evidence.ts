import type { Log } from '../../../shared/log.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import { evidenceOf, type Arrival, type EvidenceDoc } from '../evidence.ts';
import type { ClaimLookup, MonitorLookup } from '../ports.ts';
import { excessOf, MOST_OF_MONITOR, refusalOf, type EvidenceOutcome } from '../rules.ts';
import type { EvidenceStore } from '../store.ts';

interface KeepDeps {
  evidence: EvidenceStore;
  monitors: Pick<MonitorLookup, 'findByIds'>;
  claims: ClaimLookup;
  /** How long the most generous plan keeps incidents, ms. */
  keptMs: number;
  log: Log;
}

type Outcomes = Map<Arrival, EvidenceOutcome>;

/**
 * Keeps what may be kept, then removes what a monitor has too much of. Returns what became of each, in order.
 * Rejects while the database is away, and may be repeated.
 */
export async function keepEvidence(deps: KeepDeps, arrivals: Arrival[]): Promise<EvidenceOutcome[]> {
  const outcomes: Outcomes = new Map();
  await writeAllOrEach(arrivals, {
    write: (some) => keep(deps, some, outcomes),
    isAboutItems: (error) => !isDatabaseUnavailable(error),
    setAside: (arrival, error) => {
      outcomes.set(arrival, 'unwritable');
      deps.log.warn({ err: error, monitor_id: arrival.message.monitor_id }, 'could not write evidence');
    },
  });
  return arrivals.map((arrival) => outcomes.get(arrival) as EvidenceOutcome);
}

/** Notes the outcome of each arrival. */
async function keep(deps: KeepDeps, arrivals: Arrival[], outcomes: Outcomes): Promise<void> {
  const { evidence, monitors, claims, keptMs } = deps;
  const pairs = arrivals.map(({ from, message }) =>
    ({ probeId: from.probeId, monitorId: message.monitor_id }));
  const [docs, claimed] = await Promise.all([
    monitors.findByIds([...new Set(pairs.map(({ monitorId }) => monitorId))]), claims.claimsOf(pairs),
  ]);
  const known = new Map(docs.map((doc) => [doc._id, doc]));
  const assigned = new Set(claimed.flatMap((one) => (one.gone ? [] : `${one.probe_id} ${one.monitor_id}`)));
  const kept = new Map<string, EvidenceDoc[]>();
  for (const arrival of arrivals) {
    const { from, message: { monitor_id: id, checked_at }, at, shiftMs } = arrival;
    const monitor = known.get(id);
    const isAssigned = assigned.has(`${from.probeId} ${id}`);
    const refusal = refusalOf({ monitor, isAssigned, checkedAt: checked_at + shiftMs, at, keptMs });
    outcomes.set(arrival, refusal ?? 'kept');
    if (monitor && refusal === null) kept.set(id, [...(kept.get(id) ?? []), evidenceOf(arrival, monitor)]);
  }
  await evidence.add([...kept.values()].flat());
  for (const [id, [doc]] of kept) if (doc) await removeExcess(evidence, tenantOf(doc), id);
}

async function removeExcess(evidence: EvidenceStore, tenant: Tenant, monitorId: string): Promise<void> {
  if ((await evidence.countOf(tenant, monitorId)) <= MOST_OF_MONITOR) return;
  const excess = excessOf(await evidence.places(tenant, monitorId), MOST_OF_MONITOR);
  await evidence.removeSome(tenant, excess);
}

function tenantOf({ organization_id: organizationId, project_id: projectId }: EvidenceDoc): Tenant {
  return { organizationId, projectId };
}
