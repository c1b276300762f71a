import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { EnrolledProbe } from '../probes/probe.ts';
import type { EnvelopeSealer } from './envelope.ts';
import { PAGE_BYTES } from './sync-answer.ts';
import type { CommittedChange } from './writer.ts';

const MOST_CHANGES = 500;

/** Tells probes what changed. Nothing depends on its arriving: whoever misses it is told by its next beat, and asks. */
export class Announcer {
  readonly #bus: Bus;
  readonly #sealer: EnvelopeSealer;

  constructor(deps: { bus: Bus; sealer: EnvelopeSealer }) {
    this.#bus = deps.bus;
    this.#sealer = deps.sealer;
  }

  /** Sends the change itself; or, where it is too much for a message, only that there is one. */
  announce(probe: EnrolledProbe, { revision, changes }: CommittedChange): void {
    const isTooMuch = changes.length > MOST_CHANGES || Buffer.byteLength(JSON.stringify(changes)) > PAGE_BYTES;
    if (isTooMuch) this.nudge(probe, revision);
    else this.#send(probe, { from: revision - 1, revision, reset: false, changes, more: null });
  }

  /** Makes the probe ask: an empty change whose number leaves a gap to whatever it holds below `revision`. */
  nudge(probe: EnrolledProbe, revision: number): void {
    this.#send(probe, { from: revision, revision, reset: false, changes: [], more: null });
  }

  #send(probe: EnrolledProbe, delta: Parameters<EnvelopeSealer['delta']>[2]): void {
    const to = { probeId: probe._id, boxKey: probe.box_key };
    this.#bus.publish(subjects.assign(probe.region_id, probe._id), this.#sealer.delta('assign', to, delta));
  }
}
