import type { AssignmentLog } from '../assignments/assignment-log.ts';
import type { AppliedDelta } from '../assignments/assignment-set.ts';
import { Synchronizer } from '../assignments/synchronizer.ts';
import type { Examiner } from '../examining/examiner.ts';
import { Orders } from '../orders.ts';
import type { ProbeLink } from './link.ts';
import type { ProbePorts } from './ports.ts';
import type { Results } from './results.ts';
import type { Runs } from './runs.ts';

interface OrderSources {
  link: ProbeLink;
  results: Results;
  runs: Runs;
  examiner: Examiner;
  saved: Awaited<ReturnType<typeof AssignmentLog.load>>;
}

/** Does what the controllers want: `synchronizer` keeps the assignments, `orders` are for now. */
export function openOrders(ports: ProbePorts, sources: OrderSources) {
  const { settings, clock, log, random, onConnected } = ports;
  const { link: { link: bus, opener, keyRing, region, probeId }, results: { spool }, runs, saved } = sources;
  const { set, file } = saved;
  let isReported = false;
  const synchronizer = new Synchronizer({
    bus, set, opener, clock, log, random, region, probeId,
    onApplied: (applied, change) => {
      // Write to disk first, so that after a crash every check that ran has its assignment.
      void file.append(change, change.atMs).then(() => applyChanges(applied, runs));
      log.info({
        revision: set.revision, monitors: set.size, changed: applied.changed.length,
        gone: applied.gone.length,
      }, 'took over assignments');
    },
    onSynced: () => {
      if (isReported) return;
      isReported = true;
      log.info({ probe: probeId, region, revision: set.revision, monitors: set.size }, 'connected');
      onConnected?.();
    },
  });
  const orders = new Orders({
    bus, opener, clock, log, region, probeId,
    run: (order) => runs.runner.order(order.assignment, order.reason),
    confirm: (monitorIds) => {
      for (const id of monitorIds) {
        const held = set.get(id);
        if (held) runs.runner.confirm(held.assignment);
      }
    },
    examine: async (assignment) => (settings.checks.examines ? sources.examiner.examine(assignment) : null),
    mesh: ({ mesh }) => runs.peerPings?.replace(mesh),
    rotate: (order) => keyRing.rotate(order),
    record: (result) => spool.append(result, true),
  });
  return { synchronizer, orders };
}

function applyChanges(applied: AppliedDelta, { scheduler, runner }: Runs): void {
  for (const { assignment, sinceMs } of applied.changed) {
    runner.forget(assignment.monitor_id);
    scheduler.set(assignment, sinceMs);
  }
  for (const { assignment } of applied.adjusted) scheduler.set(assignment);
  for (const monitorId of applied.gone) {
    runner.forget(monitorId);
    scheduler.remove(monitorId);
  }
}
