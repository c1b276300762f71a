import { launchChromium } from '../browser/chromium.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { publisherOn, type LiveEvent } from '../../controller/events/event.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';

const MONITORS = 10_000;
const EVENTS_PER_SECOND = 100;
/** An hour's events, published faster. */
const EVENTS_IN_AN_HOUR = 3600 * EVENTS_PER_SECOND;
const FAST_PER_SECOND = 3000;
const SCROLL_MS = 10_000;
/** One of 60 frames a second. */
const FRAME_MS = 16.7;
/** Events are published in bursts every this many ms. */
const PUBLISH_INTERVAL_MS = 10;

type Monitor = Pick<MonitorDoc, '_id' | 'organization_id' | 'project_id'>;
type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchChromium>>['newPage']>>;

/** Ms from the page request to the frame with the first row of the list. */
const FIRST_ROW = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('.monitor a') === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => resolve(performance.now()));
  };
  look();
})`;

/** Number of frames while the page scrolls through the list for some time. */
const scrolledFrames = (durationMs: number) => `new Promise((resolve) => {
  const began = performance.now();
  let [frames, step] = [0, 40];
  const next = (now) => {
    frames += 1;
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) step = -40;
    scrollBy(0, step);
    if (now - began < ${durationMs}) requestAnimationFrame(next);
    else resolve(frames);
  };
  requestAnimationFrame(next);
})`;

/** Transferred bytes of the scripts loaded so far. */
const SCRIPT_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/**
 * The console with 10,000 monitors in a real browser: time to the first row, frames while scrolling with 100 monitor
 * changes a second, and memory retained after an hour of such changes.
 */
export const consoleInBrowser: Metric = async ({ bundles, rounds, scale, isLong }) => {
  const count = Math.round(MONITORS * scale);
  const one = await Installation.start(bundles, count);
  const browser = await launchChromium('chromium');
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.request.post(`${one.url}/api/auth/login`, {
      headers: { 'X-Farwatch-Session': 'cookie' }, data: Installation.operator,
    });
    const firstMs: number[] = [];
    let bytes = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const page = await context.newPage();
      await page.goto(`${one.url}/`, { waitUntil: 'commit' });
      const ms = await page.evaluate<number>(FIRST_ROW);
      bytes = await page.evaluate<number>(SCRIPT_BYTES) / 1000;
      // The first round warms up; after it, the browser has the scripts.
      if (round > 0) firstMs.push(ms);
      await page.close();
    }
    const page = await context.newPage();
    await page.goto(`${one.url}/`);
    await page.getByText(`${count.toLocaleString('en')} monitors`).waitFor();
    const still = await scrolledFor(page, SCROLL_MS * scale);
    const eventPublisher = await EventPublisher.start(one);
    try {
      eventPublisher.setRate(EVENTS_PER_SECOND);
      const moving = await scrolledFor(page, SCROLL_MS * scale);
      if (!isLong) eventPublisher.setRate(FAST_PER_SECOND);
      const heapAfter = async (count: number) => {
        while (eventPublisher.published < count * scale) await page.waitForTimeout(200);
        return heapMb(page);
      };
      // After some events, the code they run is compiled.
      const before = await heapAfter(EVENTS_IN_AN_HOUR / 10);
      const after = await heapAfter(EVENTS_IN_AN_HOUR);
      return [
        print({ metric: 'con', what: `the first of ${count} monitors is shown`, ours: firstMs, theirs: null, unit: 'ms' }),
        print({
          metric: 'con', what: 'scripts before it, compressed', ours: [bytes], theirs: null, unit: 'kB', limit: { max: 120 },
        }),
        print({
          metric: 'con', what: 'CPU of a frame while it scrolls', ours: [still.cpuMs], theirs: null, unit: 'ms',
          limit: { max: FRAME_MS }, note: `${still.perSecond.toFixed(0)} frames a second here`,
        }),
        print({
          metric: 'con', what: `the same while ${EVENTS_PER_SECOND} change each second`, ours: [moving.cpuMs],
          theirs: null, unit: 'ms', limit: { max: FRAME_MS }, note: `${moving.perSecond.toFixed(0)} frames a second here`,
        }),
        print({
          metric: 'con', what: 'memory after an hour of that', ours: [after], theirs: [before], unit: 'MB',
          floor: { max: 1.25 },
        }),
      ];
    } finally {
      await eventPublisher.stop();
    }
  } finally {
    await browser.close();
    await one.stop();
  }
};

/** Scrolls for this long. The CPU time is that of the page's main thread, which other load doesn't affect. */
async function scrolledFor(page: Page, durationMs: number): Promise<{ cpuMs: number; perSecond: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  const used = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
  };
  const before = await used();
  const frames = await page.evaluate<number>(scrolledFrames(durationMs));
  const cpuMs = (await used() - before) / frames;
  await session.detach();
  return { cpuMs, perSecond: (frames * 1000) / durationMs };
}

/** Heap of the page after garbage collection. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Publishes live events of an installation's monitors on its bus, as its controller would. */
class EventPublisher {
  published = 0;
  readonly #monitors: Monitor[];
  readonly #bus: Awaited<ReturnType<typeof connectBus>>;
  readonly #timer: NodeJS.Timeout;
  #perTick = 0;
  #due = 0;

  private constructor(monitors: Monitor[], bus: Awaited<ReturnType<typeof connectBus>>) {
    this.#monitors = monitors;
    this.#bus = bus;
    const publisher = publisherOn(bus);
    this.#timer = setInterval(() => {
      for (this.#due += this.#perTick; this.#due >= 1; this.#due -= 1) publisher.publish(this.#next());
    }, PUBLISH_INTERVAL_MS);
  }

  static async start(one: Installation): Promise<EventPublisher> {
    const monitors = await one.db.collection<Monitor>('monitors').find({}, {
      projection: { organization_id: 1, project_id: 1 },
    }).toArray();
    return new EventPublisher(monitors, await connectBus({ ...one.bus, name: 'bench', log: createLog('bench', 'silent') }));
  }

  setRate(perSecond: number): void {
    this.#perTick = (perSecond * PUBLISH_INTERVAL_MS) / 1000;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bus.close();
  }

  /** Nine results in ten, and one state change. */
  #next(): LiveEvent {
    const [at, number] = [Date.now(), this.published];
    this.published += 1;
    // Neighbouring monitors change at different times.
    const monitor = this.#monitors[(number * 7919) % this.#monitors.length] as Monitor;
    const { _id: monitor_id, organization_id, project_id } = monitor;
    const about = { id: newId(at), organization_id, project_id, at };
    return number % 10 > 0
      ? { ...about, kind: 'result', data: { monitor_id, region: 'eu', outcome: 'success', success: true, checked_at: at, response_time_ms: number % 300 } }
      : { ...about, kind: 'monitor.state', data: { monitor_id, status: number % 20 === 0 ? 'up' : 'degraded', previous_status: 'up', at } };
  }
}
