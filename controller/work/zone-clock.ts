const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Local times of a time zone. A local time is the Unix ms at which clocks in UTC show the same. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  /** Offset from UTC by instant, ms. */
  readonly #offsets = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-GB', {
      timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
      second: '2-digit', hourCycle: 'h23',
    });
  }

  /** The local time at an instant, rounded down to seconds. */
  localTime(at: number): number {
    const numbers = this.#format.format(at).split(/\D+/).map(Number);
    const [day = 0, month = 0, year = 0, hour, minute, second] = numbers;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** The first instant with this local time; null if the clocks skip it. */
  instantOf(local: number): number | null {
    return this.instantsOf(local)[0] ?? null;
  }

  /** The instants with this local time, in order: two if the clocks repeat it, none if they skip it. */
  instantsOf(local: number): number[] {
    const offsets = new Set([local + DAY_MS, local - DAY_MS].map((at) => this.#offset(at)));
    const instants = [...offsets].map((offset) => local - offset);
    return instants.filter((at) => this.#offset(at) === local - at).sort((one, other) => one - other);
  }

  /** Whether the local time exists. Fast for many days, because offsets are cached by week. */
  shows(local: number): boolean {
    const week = Math.floor(local / WEEK_MS) * WEEK_MS;
    // Offsets stay the same for weeks, so equal offsets around the week mean no clock change in it.
    const isSteady = this.#offset(week - DAY_MS) === this.#offset(week + WEEK_MS + DAY_MS);
    return isSteady || this.instantOf(local) !== null;
  }

  /** When clocks change between two instants, at most a few days apart; null if they do not. */
  changeBetween(from: number, until: number): number | null {
    if (this.#offset(from) === this.#offset(until)) return null;
    let [before, after] = [from, until];
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (this.#offset(middle) === this.#offset(from)) before = middle;
      else after = middle;
    }
    return Math.floor(after / 1000) * 1000;
  }

  #offset(at: number): number {
    let offset = this.#offsets.get(at);
    if (offset === undefined) {
      const second = Math.floor(at / 1000) * 1000;
      offset = this.localTime(second) - second;
      this.#offsets.set(at, offset);
    }
    return offset;
  }
}
