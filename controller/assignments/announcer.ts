import type { AssignmentDelta } from '../../shared/contracts/assignment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { EnrolledProbe } from '../probes/probe.ts';
import type { EnvelopeSealer } from './envelope.ts';
import { MAX_PAGE_BYTES } from './sync-page.ts';
import type { CommittedChange } from './writer.ts';

const MAX_MESSAGE_CHANGES = 500;

/**
 * Sends assignment changes to probes. A message can be lost; the probe's next beat then shows that it is
 * behind.
 */
export class Announcer {
  readonly #deps: { bus: Bus; sealer: EnvelopeSealer };

  constructor(deps: { bus: Bus; sealer: EnvelopeSealer }) {
    this.#deps = deps;
  }

  /** Sends the change itself, or only its revision if the change is too large for one message. */
  announce(probe: EnrolledProbe, { revision, changes }: CommittedChange): void {
    const bytes = Buffer.byteLength(JSON.stringify(changes));
    const isTooLarge = changes.length > MAX_MESSAGE_CHANGES || bytes > MAX_PAGE_BYTES;
    if (isTooLarge) this.announceRevision(probe, revision);
    else this.#send(probe, { from: revision - 1, revision, reset: false, changes, more: null });
  }

  /**
   * Makes the probe request its changes: an empty change whose revision leaves a gap after every lower one.
   */
  announceRevision(probe: EnrolledProbe, revision: number): void {
    this.#send(probe, { from: revision, revision, reset: false, changes: [], more: null });
  }

  #send(probe: EnrolledProbe, delta: AssignmentDelta): void {
    const subject = subjects.assign(probe.region_id, probe._id);
    this.#deps.bus.publish(subject, this.#deps.sealer.seal('assign', probe, delta));
  }
}
