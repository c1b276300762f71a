import { diagnosisRoutes } from '../diagnosis/routes.ts';
import { loadMonitor } from '../monitors/verbs/read-monitors.ts';
import type { ControllerPorts } from './ports.ts';

/** Where outages come from: examinations by probes, and who reads what they found out. */
export function openDiagnosis({ stores }: ControllerPorts) {
  const { diagnoses, incidents, monitors } = stores;
  return {
    routes: diagnosisRoutes({
      diagnoses, incidents, diagnose: async () => null,
      monitors: { load: (ctx, id) => loadMonitor({ monitors }, ctx, id) },
    }),
  };
}
