import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../shared/directory-lock.ts';
import type { CheckResult } from '../shared/contracts/result.ts';
import type { Log } from '../shared/log.ts';
import type { HostAndPort } from '../shared/setting.ts';
import type { Clock } from '../shared/time.ts';
import { AssignmentLog } from './assignments/assignment-log.ts';
import type { AppliedDelta, AssignmentSet } from './assignments/assignment-set.ts';
import { EnvelopeOpener } from './assignments/envelope.ts';
import { Synchronizer } from './assignments/synchronizer.ts';
import { BeatSender } from './beat-sender.ts';
import { choosePinger } from './checks/icmp/choose-pinger.ts';
import { addressGuard, refusesPrivate, type OwnPolicy } from './checks/network/address-guard.ts';
import { Trust } from './checks/tls/trust.ts';
import { SystemResolver } from './checks/network/resolver.ts';
import { SystemServers } from './checks/network/system-servers.ts';
import { CheckRegistry } from './checks/registry.ts';
import { EvidenceSender } from './evidence/evidence-sender.ts';
import { enrol } from './identity/enrolment.ts';
import { KeyRing } from './identity/key-ring.ts';
import { enrolmentKeys, loadIdentity, saveIdentity, type Identity } from './identity/identity.ts';
import { Link, privateInbox } from './link.ts';
import { Orders } from './orders.ts';
import { RecentShare, slotsOf } from './recent-share.ts';
import { Anchors, endpointsIn } from './runner/anchors.ts';
import { limitsFor } from './runner/limits.ts';
import { missedResult } from './runner/result.ts';
import { Runner } from './runner/runner.ts';
import { missedWhileAway } from './scheduler/absence.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { nextSlot } from './scheduler/slots.ts';
import { Sender } from './sending/sender.ts';
import type { Lane } from './spool/lane.ts';
import { Spool } from './spool/spool.ts';

/** The part of `loadProbeConfig`'s result that the probe uses. */
export interface ProbeSettings {
  dataDir: string;
  enrolment: { controllerUrl: string | null; token: string | null };
  natsUrl: string | null;
  checks: OwnPolicy & { anchors: readonly HostAndPort[]; nameServers: readonly HostAndPort[] };
}

export interface ProbeDeps {
  settings: ProbeSettings;
  clock: Clock;
  log: Log;
  version: string;
  random: () => number;
  /** Open file limit of this process. */
  maxFiles: number;
  /** Called once, when connected and in sync with the controller's assignments. */
  onConnected?: () => void;
}

export interface RunningProbe {
  /** Resolves within about seven seconds; unsent results stay in the spool. */
  stop(): Promise<void>;
}

/** This probe has no identity and no enrolment settings. */
export class NotEnrolled extends Error {
  constructor() {
    super('this probe is not enrolled yet: start it once with --controller URL and --token-file FILE');
    this.name = 'NotEnrolled';
  }
}

const FINISH_MS = 3000;
const DRAIN_MS = 3000;
const REPORT_INTERVAL_MS = 60_000;

/** Starts a probe: identity, spool, checks, schedule, link. Checks run even without a link. */
export async function startProbe(deps: ProbeDeps): Promise<RunningProbe> {
  const { settings, log, clock, random, version } = deps;
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(settings.dataDir);
  const { pinger, rawUnavailableReason } = await choosePinger(clock);
  const systemServers = new SystemServers(clock, { configured: settings.checks.nameServers });
  const registry = new CheckRegistry({
    clock, version, trust: new Trust(),
    resolver: new SystemResolver(clock, { servers: systemServers }), systemServers,
    allowAddress: addressGuard(settings.checks, clock),
    refusesPrivate: (allowPrivate) => refusesPrivate(settings.checks, allowPrivate),
    pinger: pinger ?? undefined,
  });
  const identity = await identityOf(deps, registry.capabilities);
  const { region_id: region, probe_id: probeId } = identity.enrolment;
  const { set, file } = await AssignmentLog.load(join(settings.dataDir, 'assignments.log'), log);

  const natsUrl = settings.natsUrl ?? identity.enrolment.nats_url;
  const controllerUrl = settings.enrolment.controllerUrl ?? identity.controllerUrl;
  const link = new Link({ url: natsUrl, seed: identity.user.getSeed(), probeId, clock, log, random });
  const missedShare = new RecentShare(clock);
  const lostShare = new RecentShare(clock);
  const spool: Spool = await Spool.open({
    directory: join(settings.dataDir, 'spool'), clock, log, engine: version,
    coverage: () => ({
      until: scheduler.coveredUntilMs, open: runner.openSlots().map((slot) => [slot.monitorId, slot.dueMs]),
    }),
    onSynced: () => sender.kick(),
    onRefused: (count) => lostShare.add({ all: 0, bad: count }),
  });
  const record = (result: CheckResult, urgent: boolean): void => {
    missedShare.add(slotsOf(result));
    lostShare.add({ all: 1, bad: 0 });
    spool.append(result, urgent);
  };
  const anchors = new Anchors({
    clock, named: settings.checks.anchors,
    installation: [natsUrl, controllerUrl].flatMap(endpointsIn),
    // Name servers configured for targets may not know the NATS host.
    resolver: new SystemResolver(clock), isLinkResponsive: (timeoutMs) => link.isResponsive(timeoutMs),
  });
  const evidence =
    new EvidenceSender({ bus: link, clock, log, region, probeId, monitors: () => set.size });
  const runner: Runner = new Runner({
    clock, random, limits: limitsFor(deps.maxFiles),
    check: (spec, timeoutMs, allowPrivate) => registry.run(spec, timeoutMs, allowPrivate),
    isCutOff: (sinceMs) => anchors.isCutOff(sinceMs),
    record: record,
    observer: evidence,
  });
  const scheduler: Scheduler = new Scheduler(clock, {
    due: (assignment, dueMs) => runner.slot(assignment, dueMs),
    missed: (assignment, run, reason) => record(missedResult(assignment, run, reason), false),
  });
  const sender: Sender<Lane> = new Sender({ bus: link, spool, clock, log, random, region, probeId });
  const keyRing = new KeyRing({
    identity, log, save: (changed) => saveIdentity(identityPath(settings), changed),
    reconnect: (seed) => link.reconnect(seed),
  });
  const opener = new EnvelopeOpener({
    probeId, box: keyRing, controllerKey: identity.enrolment.controller_key,
    controllerBoxKey: identity.enrolment.controller_box_key,
  });
  let isReported = false;
  const synchronizer = new Synchronizer({
    bus: link, set, opener, clock, log, random, region, probeId,
    onApplied: (applied, change) => {
      // Write to disk first, so that after a crash every check that ran has its assignment.
      void file.append(change, change.atMs).then(() => applyChanges(applied, scheduler, runner));
      log.info({
        revision: set.revision, monitors: set.size, changed: applied.changed.length,
        gone: applied.gone.length,
      }, 'took over assignments');
    },
    onSynced: () => {
      if (isReported) return;
      isReported = true;
      log.info({ probe: probeId, region, revision: set.revision, monitors: set.size }, 'connected');
      deps.onConnected?.();
    },
  });
  const orders = new Orders({
    bus: link, opener, clock, log, region, probeId,
    run: (order) => runner.order(order.assignment, order.reason),
    confirm: (monitorIds) => {
      for (const id of monitorIds) {
        const held = set.get(id);
        if (held) runner.confirm(held.assignment);
      }
    },
    rotate: (order) => keyRing.rotate(order),
    record: (result) => spool.append(result, true),
  });
  let latenessMs = 0;
  const beatSender = new BeatSender({
    bus: link, clock, region, probeId, responseSubject: `${privateInbox(probeId)}.beat`,
    cpuMs: () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    state: () => ({
      epoch: spool.epoch, version, capabilities: registry.capabilities, revision: set.revision,
      monitors: set.size,
      in_flight: runner.inFlight, spool_depth: spool.depth, missed_rate: missedShare.value,
      lost_rate: lostShare.value,
      lateness_ms: (latenessMs = scheduler.takeLatenessMs()),
    }),
    onRevision: (revision) => synchronizer.onRevision(revision),
  });

  resume(set, spool, scheduler, clock);
  scheduler.start();
  sender.start();
  evidence.start();
  synchronizer.start();
  orders.start();
  beatSender.start();
  link.start();
  const report = clock.setRepeating(REPORT_INTERVAL_MS, () =>
    log.info({
      monitors: set.size, in_flight: runner.inFlight, lateness_ms: latenessMs,
      spool_depth: spool.depth, spool_bytes: spool.bytes,
      refused_results: spool.refusedCount, unsent_evidence: evidence.unsentCount,
      refused_messages: synchronizer.refusedCount + orders.refusedCount,
    }, 'state'),
  );
  log.info({
    probe: probeId, region, monitors: set.size, spool_depth: spool.depth, icmp: pinger?.method ?? 'none',
    ...(rawUnavailableReason === null ? {} : { icmp_reason: rawUnavailableReason }),
  }, 'probe started');

  return {
    async stop() {
      log.info('stopping');
      report.cancel();
      beatSender.leave();
      scheduler.stop();
      orders.stop();
      await synchronizer.stop();
      await runner.stop(FINISH_MS);
      anchors.stop();
      evidence.stop();
      await file.close();
      await spool.flush();
      await sender.stop(DRAIN_MS);
      beatSender.stop();
      await link.stop();
      await spool.close();
      unlock();
      log.info({ spool_depth: spool.depth }, 'stopped');
    },
  };
}

async function identityOf(deps: ProbeDeps, capabilities: string[]): Promise<Identity> {
  const { settings, log, clock, random, version } = deps;
  const path = identityPath(settings);
  const existing = await loadIdentity(path);
  const { controllerUrl, token } = settings.enrolment;
  if (existing) {
    const facts = { probe: existing.enrolment.probe_id, data_dir: settings.dataDir };
    if (token) log.info(facts, 'already enrolled; ignoring the token. To enrol again, empty the data directory');
    return existing;
  }
  if (!controllerUrl || !token) throw new NotEnrolled();
  const keysPath = join(settings.dataDir, 'enrolment.json');
  const keys = await enrolmentKeys(keysPath);
  const identity = await enrol({ controllerUrl, token, keys, version, capabilities, clock, log, random });
  await saveIdentity(path, identity);
  await unlink(keysPath);
  log.info({ probe: identity.enrolment.probe_id, region: identity.enrolment.region_id }, 'enrolled');
  return identity;
}

function identityPath({ dataDir }: ProbeSettings): string {
  return join(dataDir, 'identity.json');
}

function applyChanges(applied: AppliedDelta, scheduler: Scheduler, runner: Runner): void {
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

/** Resumes the saved assignments by their phase and records slots missed since the last run. */
function resume(set: AssignmentSet, spool: Spool, scheduler: Scheduler, clock: Clock): void {
  const nowMs = clock.now();
  const { coverage, recorded } = spool.recovered;
  const open = new Map<string, number[]>();
  for (const [monitorId, dueMs] of coverage?.open ?? []) {
    open.set(monitorId, [...(open.get(monitorId) ?? []), dueMs]);
  }
  for (const { assignment, sinceMs } of set.values()) {
    const id = assignment.monitor_id;
    // From exactly the instant up to which missed slots are recorded; otherwise slots in between would be
    // lost.
    scheduler.set(assignment, nextSlot(assignment, nowMs));
    const lastSeen = {
      untilMs: coverage?.until ?? sinceMs - 1, open: open.get(id) ?? [], recorded: recorded.get(id) ?? [],
    };
    for (const run of missedWhileAway(assignment, sinceMs, lastSeen, nowMs)) {
      spool.append(missedResult(assignment, run, 'probe_down'), false);
    }
  }
}
