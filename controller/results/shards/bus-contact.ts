import type { Clock } from '../../../shared/time.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';

/** Without an answer of the bus for this long, one asked for every two seconds has failed to come. */
const LOST_AFTER_MS = 3000;
/** Nothing is known of a longer time in which nobody asked. */
const MAX_CHECK_GAP_MS = 4000;

/**
 * Whether the bus still answers this controller. It notices a connection on which nothing arrives any more in
 * a few seconds, long before the bus itself gives it up.
 */
export class BusContact {
  readonly #bus: Pick<Bus, 'isConnected' | 'flush'>;
  readonly #clock: Clock;
  #checkedAt = -Infinity;
  #respondedAt = -Infinity;

  constructor(bus: Pick<Bus, 'isConnected' | 'flush'>, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** True when earlier calls, a few seconds apart, have asked the bus in vain. Asks it for the next call. */
  isLost(): boolean {
    const at = this.#clock.monotonic();
    if (at - this.#checkedAt > MAX_CHECK_GAP_MS) this.#respondedAt = at;
    this.#checkedAt = at;
    if (!this.#bus.isConnected) return true;
    const onResponse = (): void => void (this.#respondedAt = this.#clock.monotonic());
    this.#bus.flush().then(onResponse, () => undefined);
    return at - this.#respondedAt > LOST_AFTER_MS;
  }
}
