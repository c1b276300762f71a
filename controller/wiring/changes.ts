import { ChangeRecorder } from '../changes/recorder.ts';
import { changeRoutes } from '../changes/routes.ts';
import { changesBefore, type ChangeDeps } from '../changes/verbs.ts';
import type { ChangesPort } from '../incidents/ports.ts';
import type { ControllerPorts } from './ports.ts';

/** What changed at the targets of monitors: recording it, and how it is read. */
export function openChanges({ stores, log }: Pick<ControllerPorts, 'stores' | 'log'>) {
  const { targetChanges: changes, seenTargets: seen, markers, monitors } = stores;
  const deps: ChangeDeps = { changes, markers, monitors };
  return {
    recorder: new ChangeRecorder({ changes, seen, log }),
    routes: changeRoutes(deps),
    ofIncidents: {
      before: (tenant, monitorId, startedAt) => changesBefore(deps, tenant, monitorId, startedAt),
    } satisfies ChangesPort,
  };
}
