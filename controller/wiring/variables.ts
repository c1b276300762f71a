import type { VariableDeps } from '../variables/verbs/using-monitors.ts';
import { variableRoutes } from '../variables/routes.ts';
import { markMonitors } from '../variables/verbs/using-monitors.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { Monitors } from './monitors.ts';
import type { ControllerPorts } from './ports.ts';

/** Changes are carried out at once; this finds what a crash left behind. */
const RESUME_INTERVAL_MS = 600_000;

/** Variables, and what sends their changes to probes. */
export function openVariables({ stores, clock, log }: ControllerPorts, { deps: monitors }: Pick<Monitors, 'deps'>) {
  const deps: VariableDeps = {
    variables: stores.variables, monitors,
    // A failed run is repeated: its work is stored with the variable.
    onChanged: () => changeTask.run().catch(() => undefined),
  };
  const changeTask = new PeriodicTask({
    clock, intervalMs: RESUME_INTERVAL_MS, runsAtStart: true,
    task: () => markMonitors(deps, clock.now()),
    onError: (error) => log.warn({ err: error }, 'could not mark the monitors of a changed variable'),
  });
  return { deps, routes: variableRoutes(deps), changeTask };
}
