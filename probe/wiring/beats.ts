import type { Timer } from '../../shared/time.ts';
import type { AssignmentSet } from '../assignments/assignment-set.ts';
import { BeatSender } from '../beat-sender.ts';
import { privateInbox } from '../link.ts';
import type { Checks } from './checks.ts';
import type { ProbeLink } from './link.ts';
import type { openOrders } from './orders.ts';
import type { ProbePorts } from './ports.ts';
import type { Results } from './results.ts';
import type { Runs } from './runs.ts';

interface BeatSources {
  checks: Checks;
  link: ProbeLink;
  results: Results;
  runs: Runs;
  work: ReturnType<typeof openOrders>;
  set: AssignmentSet;
}

const REPORT_INTERVAL_MS = 60_000;

/** Tells how this probe is: `beats` the controllers, `reports` its log. */
export function openBeats({ clock, log, version }: ProbePorts, sources: BeatSources) {
  const { checks: { capabilities }, link: { link, region, probeId }, results, runs, work, set } = sources;
  const { spool, missedShare, lostShare } = results;
  const { scheduler, runner, evidence, peerPings } = runs;
  const { synchronizer, orders } = work;
  let latenessMs = 0;
  const beats = new BeatSender({
    bus: link, clock, region, probeId, responseSubject: `${privateInbox(probeId)}.beat`,
    cpuMs: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    state: () => ({
      epoch: spool.epoch, version, capabilities, revision: set.revision,
      monitors: set.size,
      in_flight: runner.inFlight, spool_depth: spool.depth, missed_rate: missedShare.value,
      lost_rate: lostShare.value,
      lateness_ms: (latenessMs = scheduler.takeLatenessMs()),
      ...(peerPings === null ? {} : { mesh: peerPings.report }),
    }),
    onRevision: (revision) => synchronizer.onRevision(revision),
  });
  const report = (): void => log.info({
    monitors: set.size, in_flight: runner.inFlight, lateness_ms: latenessMs,
    spool_depth: spool.depth, spool_bytes: spool.bytes,
    refused_results: spool.refusedCount, unsent_evidence: evidence.unsentCount,
    refused_messages: synchronizer.refusedCount + orders.refusedCount,
  }, 'state');
  let timer: Timer | null = null;
  const reports = {
    start: () => void (timer = clock.setRepeating(REPORT_INTERVAL_MS, report)),
    stop: () => timer?.cancel(),
  };
  return { beats, reports };
}
