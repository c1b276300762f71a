import { startFleet } from './fleet.ts';
import type { Scenario } from './scenario.ts';
import { score, type Score } from './score.ts';
import { MonitorObserver } from './monitor-observer.ts';
import { World } from './world.ts';

/** Time limit for all monitors to be up, for all faults to be alerted, and for all to recover. */
const LIMIT_MS = 180_000;
/** Checks a monitor must have run during the faults before a missing alert counts. */
const CHECKS = 3;

interface Monitors {
  scenario: Scenario;
  detector: string;
  /** Ids by label. */
  bystanders: ReadonlyMap<string, string>;
}

interface Options {
  /** The bundle of silent-listener.ts. */
  silentListener: string;
  /** farwatch.mjs of the checkout. */
  start: string;
  say: (line: string) => void;
}

/** Runs the scenarios concurrently: all healthy, then all broken, then all healthy again. */
export async function runScenarios(scenarios: readonly Scenario[], options: Options): Promise<Score[]> {
  const { say } = options;
  const secureNames = scenarios.map(({ name }) => name).filter((name) => name.startsWith('tls-'));
  const world = await World.start(secureNames, options.silentListener);
  try {
    const fleet = await startFleet(world, options.start);
    try {
      const observer = await MonitorObserver.start(fleet.session);
      try {
        const monitors = await addMonitors(scenarios, world, observer);
        return await breakAndHeal(monitors, world, observer, say);
      } finally {
        await observer.stop();
      }
    } finally {
      await fleet.stop();
    }
  } finally {
    await world.stop();
  }
}

async function addMonitors(scenarios: readonly Scenario[], world: World, observer: MonitorObserver): Promise<Monitors[]> {
  const home = world.regions.slice(0, 1);
  const monitors: Monitors[] = [];
  for (const scenario of scenarios) {
    const bystanders = new Map<string, string>();
    for (const [label, make] of Object.entries(scenario.bystanders ?? {})) {
      bystanders.set(label, await observer.add(`${scenario.name}, ${label}`, home, make(world)));
    }
    const detector = await observer.add(scenario.name, home, scenario.detector(world));
    monitors.push({ scenario, detector, bystanders });
  }
  return monitors;
}

async function breakAndHeal(
  monitors: readonly Monitors[], world: World, observer: MonitorObserver, say: Options['say'],
): Promise<Score[]> {
  const detectors = monitors.map(({ detector }) => detector);
  const bystanders = monitors.flatMap((each) => [...each.bystanders.values()]);
  const all = [...detectors, ...bystanders];
  say(`${all.length} monitors of ${monitors.length} scenarios; waiting until they are up`);
  await observer.holds(all, async (id) => (await observer.status(id)) === 'up', LIMIT_MS);

  say('All faults begin');
  const brokenAt = Date.now();
  for (const { scenario } of monitors) await scenario.toggle(world, true);
  const isAlerted = (id: string): boolean => observer.alerts(id).some(({ at }) => at >= brokenAt);
  const isChecked = async (id: string): Promise<boolean> => (await observer.results(id, brokenAt)).length >= CHECKS;
  await observer.holds(detectors, isAlerted, LIMIT_MS);
  await observer.holds(bystanders, isChecked, LIMIT_MS);

  say('All faults end');
  const healedAt = Date.now();
  for (const { scenario } of monitors) await scenario.toggle(world, false);
  const isOver = async (id: string): Promise<boolean> =>
    (await observer.status(id)) === 'up' && (observer.alerts(id).length !== 1 || isAdvisory(observer, id));
  await observer.holds(detectors, isOver, LIMIT_MS);

  const scores: Score[] = [];
  for (const each of monitors) scores.push(await judge(each, { world, observer, brokenAt, healedAt }));
  return scores;
}

/** Whether the monitor's alerts are all of kinds that have no resolution. */
function isAdvisory(observer: MonitorObserver, id: string): boolean {
  return observer.alerts(id).every(({ event }) => event === 'monitor.ssl_expiring');
}

async function judge(
  { scenario, detector, bystanders }: Monitors,
  { world, observer, brokenAt, healedAt }: { world: World; observer: MonitorObserver; brokenAt: number; healedAt: number },
): Promise<Score> {
  const failed = (await observer.results(detector, brokenAt, healedAt)).find(({ error }) => error !== null);
  return score({
    name: scenario.name, expected: scenario.expected, brokenAt, healedAt,
    alerts: observer.alerts(detector),
    bystanderAlerts: [...bystanders].flatMap(
      ([bystander, id]) => observer.alerts(id).map((alert) => ({ bystander, ...alert })),
    ),
    incident: await observer.incident(detector),
    layer: failed?.error?.layer ?? null,
    expectedRegions: scenario.expected.regions === 'abroad' ? world.regions.slice(1) : null,
  });
}
