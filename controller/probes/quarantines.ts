import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { isEnrolled, type ProbeDoc } from './probe.ts';
import {
  decideQuarantines, evidenceOf, sparedProbes, type Agreement, type Decision, type ProbeHealth,
} from './quarantine-rules.ts';
import type { ProbeStore } from './store.ts';

const LOOK_EVERY_MS = 5000;
/** Fewer probes have no majority that one of them could disagree with. */
const FEWEST_COMPARED = 3;
const REASONS_TOLD = 3;

export interface QuarantinesDeps {
  directory: Pick<FleetDirectory, 'probes' | 'probe' | 'refresh'>;
  liveness: Pick<Liveness, 'track' | 'isLive'>;
  store: Pick<ProbeStore, 'enterQuarantine' | 'confirmQuarantine' | 'leaveQuarantine'>;
  /** How a probe's votes compare with those of other regions; each turn asks for a part of that. */
  agreements: { turn(): Promise<void>; of(probeId: string): Agreement | null };
  /** Looks now whether monitors have to move. */
  rebalance(): void;
  clock: Clock;
  log: Log;
}

/** A probe was quarantined or released; told once, by the controller that did it. */
export interface QuarantineChange {
  probe: ProbeDoc;
  isQuarantined: boolean;
  reason: string;
}

/** Since when (monotonic ms) something, or nothing, has been found wrong with a probe without a break. */
interface Spell {
  isBad: boolean;
  sinceMono: number;
}

/**
 * Quarantines probes whose own trouble would be taken for that of their targets, and releases them. Every
 * controller does this by what it hears, and by the votes in all shards; whose write comes first has decided.
 */
export class Quarantines {
  readonly #deps: QuarantinesDeps;
  readonly #rounds: Rounds;
  readonly #spells = new Map<string, Spell>();
  readonly #listeners: ((change: QuarantineChange) => void)[] = [];
  #isSparing = false;

  constructor(deps: QuarantinesDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock,
      everyMs: LOOK_EVERY_MS,
      round: () => this.#look(),
      onFailed: (error) => deps.log.warn({ err: error }, 'could not decide on quarantines; will retry'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Calls `listener` with each change that this controller makes. */
  onChange(listener: (change: QuarantineChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether what the probe reports may decide about monitors. */
  hasVote(probeId: string): boolean {
    return (this.#deps.directory.probe(probeId)?.quarantine ?? null) === null;
  }

  async #look(): Promise<void> {
    const { agreements, clock, directory } = this.#deps;
    const enrolled = [...directory.probes()].filter(isEnrolled);
    if (enrolled.length >= FEWEST_COMPARED) await agreements.turn();
    for (const id of this.#spells.keys()) if (!directory.probe(id)) this.#spells.delete(id);
    const health = enrolled.map((probe) => this.#healthOf(probe));
    this.#tellSpared(sparedProbes(health), enrolled.length);
    const decisions = decideQuarantines(health, clock.now());
    const changes: QuarantineChange[] = [];
    for (const decision of decisions) {
      const change = await this.#carryOut(decision);
      if (change) changes.push(change);
    }
    if (decisions.length > 0) await directory.refresh();
    if (changes.length > 0) this.#deps.rebalance();
    for (const change of changes) this.#tell(change);
  }

  #healthOf(probe: ProbeDoc): ProbeHealth {
    const { agreements, clock, liveness } = this.#deps;
    const { _id: id, quarantine = null, quarantined_before: before = null } = probe;
    const nowMono = clock.monotonic();
    const isLive = liveness.isLive(probe);
    const track = isLive ? liveness.track(id) : null;
    const found = evidenceOf(track, isLive ? agreements.of(id) : null, nowMono);
    const known = this.#spells.get(id);
    // Of a probe that is not heard nothing is known, neither good nor bad.
    const isSame = known !== undefined && track !== null && known.isBad === (found !== null);
    const spell = isSame ? known : { isBad: found !== null, sinceMono: nowMono };
    this.#spells.set(id, spell);
    return { id, isLive, quarantine, before, found, forMs: nowMono - spell.sinceMono };
  }

  /** The change, unless another controller has made it. */
  async #carryOut({ kind, id, quarantine }: Decision): Promise<QuarantineChange | null> {
    const { clock, directory, store } = this.#deps;
    const probe = directory.probe(id);
    if (!probe) return null;
    const { reason, since, clean_ms } = quarantine;
    if (kind === 'confirm') await store.confirmQuarantine(id, quarantine);
    else if (kind === 'enter') {
      if (await store.enterQuarantine(id, quarantine)) return { probe, isQuarantined: true, reason };
    } else if (await store.leaveQuarantine(id, since, { ended_at: clock.now(), clean_ms })) {
      return { probe, isQuarantined: false, reason };
    }
    return null;
  }

  /** Once when it begins, and once when it ends: what is wrong may be this controller. */
  #tellSpared(spared: readonly ProbeHealth[], enrolled: number): void {
    const { log } = this.#deps;
    if (spared.length > 0 === this.#isSparing) return;
    this.#isSparing = spared.length > 0;
    if (!this.#isSparing) return log.info('the majority of probes is healthy again');
    const reasons =
      spared.slice(0, REASONS_TOLD).map(({ id, found }) => ({ probe_id: id, reason: found?.reason }));
    const facts = { probes: spared.length, enrolled, reasons };
    log.error(facts, 'the majority of probes looks unhealthy, so none is quarantined; check this host, ' +
      'its clock and its network');
  }

  #tell(change: QuarantineChange): void {
    const { log } = this.#deps;
    const { probe: { _id: probe_id, name: probe_name, region_id: region }, isQuarantined, reason } = change;
    const facts = { probe_id, probe_name, region, reason };
    if (isQuarantined) log.error(facts, 'a probe was quarantined; it has no vote and gets no new monitors');
    else log.info(facts, 'a probe was released from quarantine');
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        log.error({ err: error }, 'quarantine listener failed');
      }
    }
  }
}
