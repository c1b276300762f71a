import { grouped } from '../../shared/grouped.ts';
import type { AssignmentSet } from '../assignments/assignment-set.ts';
import { SystemResolver } from '../checks/network/resolver.ts';
import { EvidenceSender } from '../evidence/evidence-sender.ts';
import { PeerPings } from '../peer-pings.ts';
import { Anchors, endpointsIn } from '../runner/anchors.ts';
import { limitsFor } from '../runner/limits.ts';
import { missedResult } from '../runner/result.ts';
import { Runner } from '../runner/runner.ts';
import { missedWhileAway } from '../scheduler/absence.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { nextSlot } from '../scheduler/slots.ts';
import type { Spool } from '../spool/spool.ts';
import type { Checks } from './checks.ts';
import type { ProbeLink } from './link.ts';
import type { ProbePorts } from './ports.ts';
import type { Results } from './results.ts';

interface RunSources {
  checks: Checks;
  link: ProbeLink;
  results: Results;
  set: AssignmentSet;
}

export type Runs = ReturnType<typeof openRuns>;

/** Runs the checks of the saved assignments when they are due, also without a link. */
export function openRuns(ports: ProbePorts, { checks, link: connection, results, set }: RunSources) {
  const { settings, clock, log, random, maxFiles } = ports;
  const { link, region, probeId, urls } = connection;
  const { record, spool } = results;
  const anchors = new Anchors({
    clock, named: settings.checks.anchors,
    installation: urls.flatMap((each) => endpointsIn(each, settings.proxies)),
    // Name servers configured for targets may not know the NATS host.
    resolver: new SystemResolver(clock), isLinkResponsive: (timeoutMs) => link.isResponsive(timeoutMs),
  });
  const evidence =
    new EvidenceSender({ bus: link, clock, log, region, probeId, monitors: () => set.size });
  const runner = new Runner({
    clock, random, limits: limitsFor(maxFiles),
    check: (spec, timeoutMs, allowPrivate) => checks.registry.run(spec, timeoutMs, allowPrivate),
    isCutOff: (sinceMs) => anchors.isCutOff(sinceMs),
    record,
    observer: evidence, nameServersOf: (name) => checks.nameServers.of(name),
  });
  const scheduler = new Scheduler(clock, {
    due: (assignment, dueMs) => runner.slot(assignment, dueMs),
    missed: (assignment, run, reason) => runner.recordMissed(assignment, run, reason),
  });
  const { pinger, allowAddress } = checks.context;
  const peerPings = !pinger || settings.mesh === 'off' ? null : new PeerPings({
    clock, log, pinger, allowAddress, allowsPrivate: settings.mesh === 'private',
    isCutOff: (sinceMs) => anchors.isCutOff(sinceMs),
  });
  resume(set, spool, scheduler, clock.now());
  return {
    anchors, evidence, runner, scheduler,
    /** Null if this probe takes no part in the mesh. */
    peerPings,
    /** Which slots have a result or still get one. */
    coverage: () => ({
      until: scheduler.coveredUntilMs,
      open: runner.openSlots().map((slot): [string, number] => [slot.monitorId, slot.dueMs]),
    }),
  };
}

/** Resumes the saved assignments by their phase and records slots missed since the last run. */
function resume(set: AssignmentSet, spool: Spool, scheduler: Scheduler, nowMs: number): void {
  const { coverage, recorded } = spool.recovered;
  const open = grouped(coverage?.open ?? [], ([monitorId]) => monitorId);
  for (const { assignment, sinceMs } of set.values()) {
    const id = assignment.monitor_id;
    // From exactly the instant up to which missed slots are recorded; otherwise slots in between would be
    // lost.
    scheduler.set(assignment, nextSlot(assignment, nowMs));
    const lastSeen = {
      untilMs: coverage?.until ?? sinceMs - 1, open: (open.get(id) ?? []).map(([, dueMs]) => dueMs),
      recorded: recorded.get(id) ?? [],
    };
    for (const run of missedWhileAway(assignment, sinceMs, lastSeen, nowMs)) {
      spool.append(missedResult(assignment, run, 'probe_down'), false);
    }
  }
}
