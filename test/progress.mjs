/** A running step prints a line at least this often. */
const MAX_SILENCE_MS = 15_000;
/** A step that advances prints a line at most this often. */
const MIN_INTERVAL_MS = 5_000;
/** Weight of the typical pace relative to the measured one, in seconds. */
const PRIOR_S = 30;

/**
 * Prints the running steps, their progress and the estimated time left. Prints only whole lines, so that a log file
 * reads like a terminal.
 */
export class Progress {
  #typicalS;
  #names;
  #print;
  #now;
  #startedAt;
  #lineAt;
  #timer = null;
  /** Running steps: the finished share, and a function that describes it. */
  #active = new Map();
  #ended = new Set();

  /** @param {Record<string, number>} typicalS seconds that each step takes, in the order of the steps */
  constructor(
    typicalS, { print = (line) => void process.stdout.write(`${line}\n`), now = () => Date.now() } = {},
  ) {
    this.#typicalS = typicalS;
    this.#names = Object.keys(typicalS);
    this.#print = print;
    this.#now = now;
    this.#startedAt = now();
    this.#lineAt = now();
  }

  /** Prints the plan. */
  open() {
    this.say(`${this.#names.join(', ')}: ${minutes(this.#leftS())} on two cores that are at rest`);
  }

  say(line) {
    this.#lineAt = this.#now();
    this.#print(line);
  }

  /** @param {() => string} describe how far the step is */
  begin(name, describe = () => '') {
    this.#active.set(name, { startedAt: this.#now(), share: 0, describe });
    this.#timer ??= setInterval(() => this.tick(), 1000);
    this.#timer.unref?.();
  }

  /** @param {number} share of the step that is done, 0 to 1 */
  advance(name, share) {
    this.#active.get(name).share = share;
    if (this.#now() - this.#lineAt >= MIN_INTERVAL_MS) this.#report(name);
  }

  /** Prints the outcome of a step. */
  end(name, outcome) {
    const { startedAt } = this.#active.get(name);
    this.#active.delete(name);
    this.#ended.add(name);
    if (this.#active.size === 0) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    this.say(`${this.#label(name)}  ${outcome} (${clock(this.#now() - startedAt)})`);
  }

  /** Called every second: prints the running steps after a silence. */
  tick() {
    if (this.#now() - this.#lineAt < MAX_SILENCE_MS) return;
    for (const name of this.#active.keys()) this.#report(name);
  }

  #report(name) {
    const { startedAt, describe } = this.#active.get(name);
    const now = this.#now();
    const done = describe() || `running for ${clock(now - startedAt)}`;
    this.say(
      `${this.#label(name)}  ${done} | ${clock(now - this.#startedAt)} so far, ${minutes(this.#leftS())} left`,
    );
  }

  /** For example ` 3/10 lint      `. */
  #label(name) {
    const total = String(this.#names.length);
    const width = Math.max(...this.#names.map((each) => each.length));
    return `${String(this.#names.indexOf(name) + 1).padStart(total.length)}/${total} ${name.padEnd(width)}`;
  }

  /** Estimated seconds left at the current pace. */
  #leftS() {
    let [doneS, leftS] = [0, 0];
    for (const name of this.#names) {
      const share = this.#ended.has(name) ? 1 : (this.#active.get(name)?.share ?? 0);
      doneS += this.#typicalS[name] * share;
      leftS += this.#typicalS[name] * (1 - share);
    }
    const elapsedS = (this.#now() - this.#startedAt) / 1000;
    return leftS * Math.max(1, (elapsedS + PRIOR_S) / (doneS + PRIOR_S));
  }
}

/** For example `4:07`. */
export function clock(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function minutes(seconds) {
  return seconds < 50 ? 'less than a minute' : `about ${Math.round(seconds / 60)} min`;
}
