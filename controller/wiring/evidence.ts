import { EvidenceIntake } from '../evidence/intake.ts';
import { evidenceRoutes } from '../evidence/routes.ts';
import { storeEvidence } from '../evidence/verbs/store-evidence.ts';
import type { Fleet } from './fleet.ts';
import type { ControllerPorts } from './ports.ts';

const DAY_MS = 86_400_000;

interface EvidenceSources {
  fleet: Pick<Fleet, 'directory' | 'liveness'>;
}

export type Evidence = ReturnType<typeof openEvidence>;

/** What failed checks saw: from the probes, and for those who read it. */
export function openEvidence(ports: ControllerPorts, { fleet }: EvidenceSources) {
  const { config, stores: { evidence, monitors, incidents, assignments }, bus, clock, log } = ports;
  const { directory, liveness } = fleet;
  const retentionDays = Math.max(...Object.values(config.accounts.plans).map((plan) => plan.rollups_days));
  const keepDeps = {
    evidence, monitors, assignments, retentionMs: retentionDays * DAY_MS, log,
  };
  return {
    intake: new EvidenceIntake({
      bus, directory, clock, log,
      clockShiftMs: liveness.clockShiftMs,
      store: (arrivals) => storeEvidence(keepDeps, arrivals),
    }),
    routes: evidenceRoutes({ evidence, monitors, incidents }),
  };
}
