import type { Log } from '../../../shared/log.ts';
import { tenantOf, type Tenant } from '../../access/tenant.ts';
import { isDatabaseUnavailable, writeAllOrEach } from '../../platform/mongo/mongo-errors.ts';
import {
  type AssignmentLookup, type EvidenceDoc, evidenceOf, type MonitorLookup, type ReceivedEvidence,
} from '../evidence.ts';
import { excessOf, MAX_PER_MONITOR, refusalOf, type EvidenceOutcome } from '../rules.ts';
import type { EvidenceStore } from '../store.ts';

interface StoreDeps {
  evidence: EvidenceStore;
  monitors: Pick<MonitorLookup, 'findByIds'>;
  assignments: AssignmentLookup;
  /** How long the most generous plan keeps incidents, ms. */
  retentionMs: number;
  log: Log;
}

type Outcomes = Map<ReceivedEvidence, EvidenceOutcome>;

/**
 * Stores acceptable evidence, then removes each monitor's excess. Returns the outcomes in order. Rejects if
 * the database does not respond; may be repeated.
 */
export async function storeEvidence(deps: StoreDeps, batch: ReceivedEvidence[]): Promise<EvidenceOutcome[]> {
  const outcomes: Outcomes = new Map();
  await writeAllOrEach(batch, {
    write: (some) => storeBatch(deps, some, outcomes),
    isAboutItems: (error) => !isDatabaseUnavailable(error),
    setAside: (received, error) => {
      outcomes.set(received, 'unwritable');
      deps.log.warn({ err: error, monitor_id: received.message.monitor_id }, 'could not write evidence');
    },
  });
  return batch.map((received) => outcomes.get(received) as EvidenceOutcome);
}

/** Records the outcome of each message. */
async function storeBatch(deps: StoreDeps, batch: ReceivedEvidence[], outcomes: Outcomes): Promise<void> {
  const { evidence, monitors, assignments, retentionMs } = deps;
  const pairs = batch.map(({ from, message }) =>
    ({ probeId: from.probeId, monitorId: message.monitor_id }));
  const [docs, found] = await Promise.all([
    monitors.findByIds([...new Set(pairs.map(({ monitorId }) => monitorId))]), assignments.historyOf(pairs),
  ]);
  const monitorsById = new Map(docs.map((doc) => [doc._id, doc]));
  const assigned = new Set(found.flatMap((one) => (one.gone ? [] : `${one.probe_id} ${one.monitor_id}`)));
  const accepted = new Map<string, EvidenceDoc[]>();
  for (const received of batch) {
    const { from, message: { monitor_id: id, checked_at }, at, shiftMs } = received;
    const monitor = monitorsById.get(id);
    const isAssigned = assigned.has(`${from.probeId} ${id}`);
    const refusal = refusalOf({ monitor, isAssigned, checkedAt: checked_at + shiftMs, at, retentionMs });
    outcomes.set(received, refusal ?? 'kept');
    if (!monitor || refusal !== null) continue;
    accepted.set(id, [...(accepted.get(id) ?? []), evidenceOf(received, monitor)]);
  }
  await evidence.add([...accepted.values()].flat());
  for (const [id, [doc]] of accepted) if (doc) await removeExcess(evidence, tenantOf(doc), id);
}

async function removeExcess(evidence: EvidenceStore, tenant: Tenant, monitorId: string): Promise<void> {
  if ((await evidence.countOf(tenant, monitorId)) <= MAX_PER_MONITOR) return;
  const excess = excessOf(await evidence.candidates(tenant, monitorId), MAX_PER_MONITOR);
  await evidence.removeByIds(tenant, excess);
}
