import { join } from 'node:path';
import { lockDirectory } from '../shared/directory-lock.ts';
import { Lifecycle } from '../shared/lifecycle.ts';
import { AssignmentLog } from './assignments/assignment-log.ts';
import { openBeats } from './wiring/beats.ts';
import { openChecks } from './wiring/checks.ts';
import { openExaminer } from './wiring/examiner.ts';
import { openLink } from './wiring/link.ts';
import { openOrders } from './wiring/orders.ts';
import type { ProbePorts } from './wiring/ports.ts';
import { openResults } from './wiring/results.ts';
import { openRuns, type Runs } from './wiring/runs.ts';

export interface RunningProbe {
  /** Resolves within about seven seconds; unsent results stay in the spool. */
  stop(): Promise<void>;
}

/** Running checks get this long to finish, and then results to be sent. */
const FINISH_MS = 3000;
const DRAIN_MS = 3000;
/** What is cut off after that time needs a moment to end. */
const STOP_TIMEOUT_MS = 4000;

/** Starts a probe: identity, spool, checks, schedule, link. Checks run even without a link. */
export async function startProbe(ports: ProbePorts): Promise<RunningProbe> {
  const { settings: { dataDir }, clock, log } = ports;
  const unlock = await lockDirectory(dataDir);
  const checks = await openChecks(ports);
  const link = await openLink(ports, checks.capabilities);
  const saved = await AssignmentLog.load(join(dataDir, 'assignments.log'), log);
  const { set, file } = saved;
  const results = await openResults(ports, link, () => runs.coverage());
  const { spool, sender } = results;
  const runs: Runs = openRuns(ports, { checks, link, results, set });
  const { anchors, evidence, runner, scheduler, peerPings } = runs;
  const examiner = await openExaminer({ ...ports, checks, isCutOff: (sinceMs) => anchors.isCutOff(sinceMs) });
  const work = openOrders(ports, { link, results, runs, examiner, saved });
  const { beats, reports } = openBeats(ports, { checks, link, results, runs, work, set });
  const lifecycle = new Lifecycle({ clock, log })
    .add({ lock: { stop: unlock } })
    .add({ identity: { stop: () => link.close() } })
    .add({ spool: { stop: () => spool.close() } })
    .add({ link: link.link })
    .add({ sender: { start: () => sender.start(), stop: () => sender.stop(DRAIN_MS) } }, STOP_TIMEOUT_MS)
    .add({ unwritten: { stop: () => spool.flush() } })
    .add({ assignments: { stop: () => file.close() } })
    .add({ anchors, evidence })
    .add({ runner: { stop: () => runner.stop(FINISH_MS) } }, STOP_TIMEOUT_MS)
    .add({ synchronizer: work.synchronizer })
    .add({ orders: work.orders })
    .add({ scheduler })
    .add({ beats, reports, peerPings });
  await lifecycle.start();
  const facts = { probe: link.probeId, region: link.region, ...checks.icmp };
  log.info({ monitors: set.size, spool_depth: spool.depth, ...facts }, 'probe started');
  return {
    stop: async () => {
      log.info('stopping');
      await lifecycle.stop();
      log.info({ spool_depth: spool.depth }, 'stopped');
    },
  };
}
