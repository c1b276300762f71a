import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { noticesDue, type ProbeNotice } from './notice-rules.ts';
import type { ProbeStore } from './store.ts';

const POLL_INTERVAL_MS = 5000;

interface ProbeNoticesDeps {
  directory: Pick<FleetDirectory, 'probes' | 'refresh'>;
  liveness: Pick<Liveness, 'isLive' | 'presenceOf' | 'silentMs' | 'statusOf'>;
  store: Pick<ProbeStore, 'recordNotified'>;
  /** Raises the alert; idempotent. */
  raiseAlert(notice: ProbeNotice): Promise<void>;
  /** Whether this controller is responsible for the region. */
  owns(regionId: string): boolean;
  clock: Clock;
  log: Log;
}

/**
 * Notifies operators of silent or quarantined probes, and when that ends. The notice is recorded on the probe
 * after it was raised, so a crash loses none and a restart repeats none.
 */
export class ProbeNotices {
  readonly #deps: ProbeNoticesDeps;
  readonly #pollTask: PeriodicTask;

  constructor(deps: ProbeNoticesDeps) {
    this.#deps = deps;
    this.#pollTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_INTERVAL_MS,
      task: () => this.#poll(),
      onError: (error) => deps.log.warn({ err: error }, 'could not notify the operators of probes; will retry'),
    });
  }

  start(): void {
    this.#pollTask.start();
  }

  stop(): Promise<void> {
    return this.#pollTask.stop();
  }

  async #poll(): Promise<void> {
    const { directory, liveness, owns, store, raiseAlert } = this.#deps;
    const observations = [...directory.probes()].map((probe) => ({
      probe, isLive: liveness.isLive(probe), presence: liveness.presenceOf(probe),
      silentMs: liveness.silentMs(probe), reason: liveness.statusOf(probe).reason,
    }));
    const due = noticesDue(observations).filter(({ probe }) => owns(probe.region_id));
    for (const notice of due) {
      await raiseAlert(notice);
      await store.recordNotified(notice.probe._id, notifiedFields(notice));
    }
    if (due.length > 0) await directory.refresh();
  }
}

function notifiedFields({ event, since }: ProbeNotice) {
  switch (event) {
    case 'probe.offline': return { notified_offline: since };
    case 'probe.online': return { notified_offline: null };
    case 'probe.quarantined': return { notified_quarantine: since };
    case 'probe.released': return { notified_quarantine: null };
  }
}
