import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { noticesDue, type ProbeNotice } from './notice-rules.ts';
import type { ProbeStore } from './store.ts';

const LOOK_EVERY_MS = 5000;

interface ProbeNoticesDeps {
  directory: Pick<FleetDirectory, 'probes' | 'refresh'>;
  liveness: Pick<Liveness, 'isLive' | 'presenceOf' | 'silentMs' | 'statusOf'>;
  store: Pick<ProbeStore, 'noteTold'>;
  /** Raises the alert; doing so again changes nothing. */
  tell(notice: ProbeNotice): Promise<void>;
  /** Whether this controller looks after the region; others then leave it alone. */
  owns(regionId: string): boolean;
  clock: Clock;
  log: Log;
}

/**
 * Tells operators of probes that are silent or quarantined, and of the end of that. A notice is noted at the
 * probe after it was raised, so that none is lost in a crash, and none is repeated by a restart.
 */
export class ProbeNotices {
  readonly #deps: ProbeNoticesDeps;
  readonly #rounds: Rounds;

  constructor(deps: ProbeNoticesDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds({
      clock: deps.clock,
      everyMs: LOOK_EVERY_MS,
      round: () => this.#look(),
      onFailed: (error) => deps.log.warn({ err: error }, 'could not notify the operators of probes; will retry'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #look(): Promise<void> {
    const { directory, liveness, owns, store, tell } = this.#deps;
    const seen = [...directory.probes()].map((probe) => ({
      probe, isLive: liveness.isLive(probe), presence: liveness.presenceOf(probe),
      silentMs: liveness.silentMs(probe), reason: liveness.statusOf(probe).reason,
    }));
    const due = noticesDue(seen).filter(({ probe }) => owns(probe.region_id));
    for (const notice of due) {
      await tell(notice);
      await store.noteTold(notice.probe._id, toldBy(notice));
    }
    if (due.length > 0) await directory.refresh();
  }
}

function toldBy({ event, since }: ProbeNotice) {
  switch (event) {
    case 'probe.offline': return { told_offline: since };
    case 'probe.online': return { told_offline: null };
    case 'probe.quarantined': return { told_quarantine: since };
    case 'probe.released': return { told_quarantine: null };
  }
}
