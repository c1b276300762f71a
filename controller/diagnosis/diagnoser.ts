import PQueue from 'p-queue';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { isSpecOf } from '../../shared/contracts/check-spec.ts';
import type { Examination } from '../../shared/contracts/examination.ts';
import type { CheckError, CheckResult } from '../../shared/contracts/result.ts';
import { newId } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, within, type Clock, type Timer } from '../../shared/time.ts';
import { type ownedBy, tenantOf } from '../access/tenant.ts';
import type { MonitorState, RegionState } from '../verdicts/monitor-state.ts';
import { classify } from './classification-rules.ts';
import type { DiagnosisDoc, RegionExamination } from './diagnosis.ts';
import type { ChosenExaminers, Examiner, SeenRegion } from './examiner-rules.ts';
import { DIAGNOSIS_INTERVAL_MS, type DiagnosisStore } from './store.ts';
import { isDownEverywhere, type SurroundingsReader } from './surroundings.ts';
import type { DiagnosisTurnStore } from './turn-store.ts';

/** Targets examined at once. Others wait, and beyond MAX_WAITING their diagnoses are omitted. */
const MAX_CONCURRENT = 16;
const MAX_WAITING = 200;
/** What waited longer is no longer about the failure. */
const MAX_WAIT_MS = 30_000;
/** A controller that took a turn has examined by then, or never will. */
const TURN_MS = MAX_WAIT_MS + 15_000;
/** Requests respond by then. */
const REQUEST_TIMEOUT_MS = 13_000;
const POLL_INTERVAL_MS = 500;
/** When an unknown diagnosis is compared with other monitors again, after the failure. Then it is final. */
const REFINED_AFTER_MS = [2000, 5000, 10_000, 20_000, 30_000, 45_000, 60_000];
/** Unknown diagnoses that may still be refined. */
const MAX_REFINED = 1000;
/** Monitors remembered, so that their turns are not asked for again. */
const MAX_REMEMBERED = 10_000;

/** A monitor to diagnose. */
export interface Suspect extends ReturnType<typeof ownedBy> {
  monitor_id: string;
  monitoring_regions: string[];
  assigned?: string[] | null;
  /** The revision of its check that failed; null for the current one. */
  check_revision: number | null;
}

export interface DiagnoserDeps {
  diagnoses: Pick<DiagnosisStore, 'insert' | 'latest' | 'refine'>;
  turns: Pick<DiagnosisTurnStore, 'take' | 'giveBack'>;
  examiners: {
    choose(suspect: Suspect, regions: SeenRegion[], failed: string | null): ChosenExaminers;
    /** What the monitor's probes check; null if it has none, or not for this revision. */
    assignmentOf(suspect: Suspect): Promise<Assignment | null>;
    /** Null if the probe does not respond in time. */
    examine(region: string, probeId: string, assignment: Assignment): Promise<Examination | null>;
  };
  liveness: { announces(capability: string, probeId: string): boolean };
  /** Of probes that can examine. */
  capability: string;
  surroundings: SurroundingsReader;
  /** Ids of monitors that are being diagnosed here, for whom it may concern. */
  underway: Set<string>;
  /** Called with each diagnosis of a failure that was stored or refined. */
  onDiagnosed(diagnosis: DiagnosisDoc): Promise<void>;
  clock: Clock;
  log: Log;
}

interface Request extends ChosenExaminers {
  suspect: Suspect;
  failed_at: number;
  /** The failure that counted; null if somebody requested the diagnosis. */
  error: CheckError | null;
  isRequested: boolean;
}

/**
 * Has probes examine the target of a monitor that fails, and finds out where the failure comes from. Nothing
 * waits for it: no vote, no check, and an alert only as long as `FanOut` says.
 */
export class Diagnoser {
  /** Since the start: examinations asked of probes, those without a response, and diagnoses omitted. */
  readonly counts = { requested: 0, failed: 0, omitted: 0 };
  readonly #deps: DiagnoserDeps;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });
  readonly #running = new Map<string, Promise<DiagnosisDoc | null>>();
  readonly #askedAtMono = new Map<string, number>();
  readonly #timers = new Set<Timer>();
  #isStopped = false;

  constructor(deps: DiagnoserDeps) {
    this.#deps = deps;
  }

  /** Starts a diagnosis if the result has just turned its region down and there was none in 10 minutes. */
  onResult({ config, regions }: MonitorState, region: string, result: CheckResult): void {
    const own = regions[region];
    const { monitor_id: id } = config;
    if (own?.verdict !== 'down' || own.down_at !== result.started_at || config.status !== 'active') return;
    const { examiners, liveness, capability, clock } = this.#deps;
    if (this.#running.has(id) || this.#wasAsked(id)) return;
    if (own.probe_id === null || !liveness.announces(capability, own.probe_id)) return;
    const seen = Object.entries(regions).map(([name, state]) => seenRegion(name, state));
    const chosen = examiners.choose(config, seen, region);
    if (chosen.examiners.length === 0) return;
    if (this.#queue.size >= MAX_WAITING) {
      this.counts.omitted += 1;
      return;
    }
    this.#remember(id);
    void this.#start({
      ...chosen, suspect: config, failed_at: clock.now(), error: result.error, isRequested: false,
    });
  }

  /** A new diagnosis, or that of another controller. Null if it takes too long. */
  async diagnose(suspect: Suspect, regions: SeenRegion[]): Promise<DiagnosisDoc | null> {
    const { clock, diagnoses, examiners } = this.#deps;
    const tenant = tenantOf(suspect);
    const since = clock.now();
    const chosen = examiners.choose(suspect, regions, null);
    const run = this.#running.get(suspect.monitor_id) ?? this.#start({
      ...chosen, suspect, failed_at: since, error: null, isRequested: true,
    });
    const own = await within(clock, REQUEST_TIMEOUT_MS, run);
    if (own !== null) return own;
    for (;;) {
      const found = await diagnoses.latest(tenant, suspect.monitor_id, clock.now());
      if (found !== null || this.#isStopped || clock.now() - since > REQUEST_TIMEOUT_MS) return found;
      await sleep(clock, POLL_INTERVAL_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#queue.clear();
    for (const timer of this.#timers) timer.cancel();
  }

  #start(request: Request): Promise<DiagnosisDoc | null> {
    const { underway, log } = this.#deps;
    const { monitor_id: id } = request.suspect;
    underway.add(id);
    const run = this.#queue.add(() => this.#run(request), { priority: request.isRequested ? 1 : 0 })
      .catch((error: unknown) => {
        log.warn({ err: error, monitor_id: id }, 'could not diagnose a failure');
        return null;
      })
      .finally(() => {
        underway.delete(id);
        this.#running.delete(id);
      });
    this.#running.set(id, run);
    return run;
  }

  /** Null if another controller has the turn, the request waited too long, or no probe responded to it. */
  async #run(request: Request): Promise<DiagnosisDoc | null> {
    const { clock, diagnoses, turns } = this.#deps;
    const { suspect, failed_at, isRequested } = request;
    const at = clock.now();
    if (at - failed_at > MAX_WAIT_MS) {
      this.counts.omitted += 1;
      return null;
    }
    const tenant = tenantOf(suspect);
    // A request comes after the last diagnosis expired, so a turn without one has failed.
    const interval = isRequested ? TURN_MS : DIAGNOSIS_INTERVAL_MS;
    if (!await turns.take(tenant, suspect.monitor_id, at, interval)) return null;
    const doc = await this.#examine(request);
    const isEmpty = doc.regions.length === 0;
    if (doc.is_healthy || (isEmpty && isRequested)) await turns.giveBack(suspect.monitor_id, at);
    if (isEmpty) return isRequested ? doc : null;
    await diagnoses.insert(doc);
    if (doc.is_healthy) return doc;
    await this.#deps.onDiagnosed(doc);
    if (doc.classification === 'unknown' && isDownEverywhere(doc.regions)) this.#refineLater(doc, request.error);
    return doc;
  }

  async #examine(request: Request): Promise<DiagnosisDoc> {
    const { suspect, examiners, others, failed_at, error, isRequested } = request;
    const { clock, examiners: probes } = this.#deps;
    const assignment = examiners.length > 0 ? await probes.assignmentOf(suspect) : null;
    // The examination of a check that must fail says nothing about why it succeeds.
    const isExaminable = assignment !== null && !('is_inverted' in assignment.spec);
    const chosen = isExaminable ? await this.#examineFrom(examiners, assignment) : [];
    const rest = isExaminable && isDownEverywhere(chosen) ? await this.#examineFrom(others, assignment) : [];
    const regions = [...chosen, ...rest];
    const { organization_id, project_id, monitor_id } = suspect;
    const failure = { organization_id, project_id, monitor_id, failed_at, regions };
    const isDns = assignment !== null && isSpecOf(assignment.spec, 'DNS');
    const isHealthy = isRequested && regions.every(({ examination }) => examination.sees === 'up');
    return {
      _id: newId(failed_at), ...failure, ...await this.#classify(failure, error, isDns),
      diagnosed_at: clock.now(), ...(isHealthy ? { is_healthy: true as const } : {}),
      ...(isDns ? { is_dns: true as const } : {}),
    };
  }

  /** Omits probes that do not respond in time. */
  async #examineFrom(examiners: Examiner[], assignment: Assignment): Promise<RegionExamination[]> {
    const found = await Promise.all(examiners.map(async (one) => {
      this.counts.requested += 1;
      const examination = await this.#deps.examiners.examine(one.region, one.probe_id, assignment);
      if (examination === null) this.counts.failed += 1;
      return examination ? [{ ...one, examination }] : [];
    }));
    return found.flat();
  }

  async #classify(
    failure: Parameters<SurroundingsReader['read']>[0], error: CheckError | null, isDns: boolean,
  ): Promise<ReturnType<typeof classify>> {
    const { surroundings } = this.#deps;
    const observations = surroundings.observations(failure.regions);
    return classify({ observations, error, is_dns: isDns, ...await surroundings.read(failure) });
  }

  /** Compares with other monitors again, until these tell more or the diagnosis is final. */
  #refineLater(doc: DiagnosisDoc, error: CheckError | null): void {
    const { clock, log } = this.#deps;
    const elapsedMs = clock.now() - doc.failed_at;
    const nextMs = REFINED_AFTER_MS.find((delayMs) => delayMs > elapsedMs);
    if (nextMs === undefined || this.#isStopped || this.#timers.size >= MAX_REFINED) return;
    const timer = clock.setTimer(nextMs - elapsedMs, () => {
      this.#timers.delete(timer);
      this.#refine(doc, error).catch(
        (failure: unknown) => log.warn({ err: failure, monitor_id: doc.monitor_id }, 'could not refine a diagnosis'),
      );
    });
    this.#timers.add(timer);
  }

  async #refine(doc: DiagnosisDoc, error: CheckError | null): Promise<void> {
    const { clock, diagnoses, onDiagnosed } = this.#deps;
    const verdict = await this.#classify(doc, error, doc.is_dns ?? false);
    if (verdict.classification === 'unknown') return this.#refineLater(doc, error);
    const refined = { ...doc, ...verdict, diagnosed_at: clock.now() };
    if (await diagnoses.refine(refined)) await onDiagnosed(refined);
  }

  #wasAsked(id: string): boolean {
    const askedAtMono = this.#askedAtMono.get(id) ?? -Infinity;
    return this.#deps.clock.monotonic() - askedAtMono < DIAGNOSIS_INTERVAL_MS;
  }

  #remember(id: string): void {
    if (this.#askedAtMono.size >= MAX_REMEMBERED) this.#askedAtMono.clear();
    this.#askedAtMono.set(id, this.#deps.clock.monotonic());
  }
}

function seenRegion(region: string, { verdict, fails, probe_id }: RegionState): SeenRegion {
  return { region, probe_id, is: verdict === 'up' && fails > 0 ? 'failing' : verdict };
}
