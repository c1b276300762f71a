import type { Clock } from '../../../shared/time.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';

/** The bus counts as lost after this long without a response; requests are sent every two seconds. */
const LOST_AFTER_MS = 3000;
/** After a longer gap between checks, the state of the bus is unknown. */
const MAX_CHECK_GAP_MS = 4000;

/**
 * Tracks whether the bus still responds to this controller. Detects a dead connection within a few seconds,
 * long before the bus client does.
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

  /** True if the last few requests had no response. Sends the next request. */
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
