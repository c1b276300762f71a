import PQueue from 'p-queue';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { isSpecOf } from '../../shared/contracts/check-spec.ts';
import { EXAMINATION_MS } from '../../shared/contracts/examination.ts';
import type { CheckError, CheckResult } from '../../shared/contracts/result.ts';
import { newId } from '../../shared/ids.ts';
import { sleep, within } from '../../shared/time.ts';
import { tenantOf } from '../access/tenant.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import type { DiagnosisDoc } from './diagnosis.ts';
import { Examinations, type ExaminerPort } from './examinations.ts';
import { seenRegion, type ChosenExaminers, type SeenRegion, type Suspect } from './examiner-rules.ts';
import { Refiner, type RefinerDeps } from './refiner.ts';
import { DIAGNOSIS_INTERVAL_MS, type DiagnosisStore } from './store.ts';
import type { DiagnosisTurnStore } from './turn-store.ts';

/** Targets examined at once. Up to MAX_WAITING others wait; beyond that, failures have no diagnosis. */
const MAX_CONCURRENT = 16;
const MAX_WAITING = 200;
/** After a longer wait, an examination says little about the failure. */
const MAX_WAIT_MS = 30_000;
/** A controller that took a turn has finished by then, or has died. */
const TURN_MS = MAX_WAIT_MS + 15_000;
/** How long a request waits for its diagnosis. */
const REQUEST_TIMEOUT_MS = 13_000;
const POLL_INTERVAL_MS = 500;
/** Monitors whose turn is known to be taken, so that it is not requested again. */
const MAX_REMEMBERED = 10_000;

export interface DiagnoserDeps extends RefinerDeps {
  diagnoses: Pick<DiagnosisStore, 'insert' | 'latest' | 'refine' | 'ofFailures'>;
  turns: Pick<DiagnosisTurnStore, 'take' | 'giveBack'>;
  examiners: {
    isAble(probeId: string): boolean;
    choose(suspect: Suspect, regions: SeenRegion[], failed: string | null): ChosenExaminers;
    /** What the monitor's probes check; null if it has none, or not for this revision. */
    assignmentOf(suspect: Suspect): Promise<Assignment | null>;
  } & ExaminerPort;
  /** When diagnoses in progress here can be known at the earliest, Unix ms, by monitor. */
  underway: Map<string, number>;
}

interface Request extends ChosenExaminers {
  suspect: Suspect;
  failed_at: number;
  /** The failure that counted; null if somebody requested the diagnosis. */
  error: CheckError | null;
  isRequested: boolean;
}

/**
 * Has probes examine the targets of failing monitors, and classifies the failures. Votes and checks do not
 * wait for it; alerts wait briefly, see `FanOut`.
 */
export class Diagnoser {
  /** Since the start: examinations requested, those without a response, and diagnoses omitted. */
  readonly counts = { requested: 0, failed: 0, omitted: 0 };
  readonly #deps: DiagnoserDeps;
  readonly #queue = new PQueue({ concurrency: MAX_CONCURRENT });
  readonly #running = new Map<string, Promise<DiagnosisDoc | null>>();
  readonly #askedAtMono = new Map<string, number>();
  readonly #examinations: Examinations;
  readonly #refiner: Refiner;
  #isStopped = false;

  constructor(deps: DiagnoserDeps) {
    this.#deps = deps;
    this.#examinations = new Examinations(deps.examiners, this.counts);
    this.#refiner = new Refiner(deps);
  }

  /** Adds the latest diagnoses to their incidents again: a controller may have died before it did. */
  start(): void {
    const { clock, diagnoses, log, onDiagnosed } = this.#deps;
    const link = async (since: number): Promise<void> => {
      for await (const doc of diagnoses.ofFailures(since)) await onDiagnosed(doc);
    };
    link(clock.now() - DIAGNOSIS_INTERVAL_MS)
      .catch((error: unknown) => log.warn({ err: error }, 'could not add diagnoses to their incidents'));
  }

  /** Starts a diagnosis if the result has just turned its region down and there was none in 10 minutes. */
  onResult({ config, regions }: MonitorState, region: string, result: CheckResult): void {
    const own = regions[region];
    const { monitor_id: id } = config;
    if (own?.verdict !== 'down' || own.down_at !== result.started_at || config.status !== 'active') return;
    const { examiners, clock } = this.#deps;
    if (this.#running.has(id) || this.#wasAsked(id)) return;
    if (own.probe_id === null || !examiners.isAble(own.probe_id)) return;
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
    this.#refiner.stop();
  }

  #start(request: Request): Promise<DiagnosisDoc | null> {
    const { underway, log } = this.#deps;
    const { suspect: { monitor_id: id }, failed_at, error } = request;
    // A target that is silent to checks is silent to the examination, too.
    const minMs = error?.type === 'timeout' ? EXAMINATION_MS : 0;
    // No alert needs to wait for one probe, which never allows a conclusion, nor behind other targets.
    const isNext = this.#queue.pending < MAX_CONCURRENT;
    if (isNext && request.examiners.length > 1) underway.set(id, failed_at + minMs);
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

  /** Null if another controller has the turn, the request waited too long, or no probe responded. */
  async #run(request: Request): Promise<DiagnosisDoc | null> {
    const { clock, diagnoses, turns } = this.#deps;
    const { suspect, failed_at, isRequested } = request;
    const at = clock.now();
    if (at - failed_at > MAX_WAIT_MS) {
      this.counts.omitted += 1;
      return null;
    }
    const tenant = tenantOf(suspect);
    // A request arrives only without a recent diagnosis, so a turn taken before has failed.
    const interval = isRequested ? TURN_MS : DIAGNOSIS_INTERVAL_MS;
    if (!await turns.take(tenant, suspect.monitor_id, at, interval)) return null;
    const { doc, isFinal } = await this.#diagnose(request);
    const isEmpty = doc.regions.length === 0;
    if (doc.is_healthy || (isEmpty && isRequested)) await turns.giveBack(suspect.monitor_id, at);
    if (isEmpty) return isRequested ? doc : null;
    await diagnoses.insert(doc);
    if (doc.is_healthy) return doc;
    await this.#deps.onDiagnosed(doc);
    if (!isFinal) this.#refiner.add(doc, request.error);
    return doc;
  }

  async #diagnose(request: Request): Promise<{ doc: DiagnosisDoc; isFinal: boolean }> {
    const { suspect, failed_at, error, isRequested } = request;
    const { clock, classifier, examiners } = this.#deps;
    const assignment = request.examiners.length > 0 ? await examiners.assignmentOf(suspect) : null;
    const regions = assignment === null ? [] : await this.#examinations.from(request, assignment);
    const { organization_id, project_id, monitor_id } = suspect;
    const isDns = assignment !== null && isSpecOf(assignment.spec, 'DNS');
    const isHealthy = isRequested && regions.every(({ examination }) => examination.sees === 'up');
    const failure = {
      organization_id, project_id, monitor_id, failed_at, regions,
      ...(isDns ? { is_dns: true as const } : {}),
    };
    const { verdict, isFinal } = await classifier.classify(failure, error);
    const doc = {
      _id: newId(failed_at), ...failure, ...verdict,
      diagnosed_at: clock.now(), ...(isHealthy ? { is_healthy: true as const } : {}),
    };
    return { doc, isFinal };
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
