import { AssignmentStore } from '../assignments/store.ts';
import { EvidenceIntake } from '../evidence/intake.ts';
import { evidenceRoutes } from '../evidence/routes.ts';
import { EvidenceStore } from '../evidence/store.ts';
import { storeEvidence } from '../evidence/verbs/store-evidence.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { Monitors } from './monitors.ts';
import type { ControllerPorts } from './ports.ts';

const DAY_MS = 86_400_000;

interface EvidenceSources {
  monitors: Monitors;
  incidents: Incidents;
  fleet: Pick<Fleet, 'directory' | 'liveness'>;
}

export type Evidence = Awaited<ReturnType<typeof openEvidence>>;

/** What failed checks saw: from the probes, and for those who read it. */
export async function openEvidence(ports: ControllerPorts, { monitors, incidents, fleet }: EvidenceSources) {
  const { config, mongo: { db }, bus, clock, log } = ports;
  const evidence = new EvidenceStore(db);
  await evidence.ensureIndexes();
  const { directory, liveness } = fleet;
  const retentionDays = Math.max(...Object.values(config.accounts.plans).map((plan) => plan.rollups_days));
  const keepDeps = {
    evidence, monitors: monitors.store, assignments: new AssignmentStore(db), retentionMs: retentionDays * DAY_MS, log,
  };
  return {
    intake: new EvidenceIntake({
      bus, directory, clock, log,
      clockShiftMs: (probeId) => liveness.clockShiftMs(probeId),
      store: (arrivals) => storeEvidence(keepDeps, arrivals),
    }),
    routes: evidenceRoutes({ evidence, monitors: monitors.store, incidents: incidents.store }),
  };
}
