import { startFleet } from './fleet.ts';
import type { Scenario } from './scenario.ts';
import { score, type Score } from './score.ts';
import { Watch } from './watch.ts';
import { World } from './world.ts';

/** For all monitors to be up, for all faults to be alerted, and for all to be over. */
const LIMIT_MS = 180_000;
/** Checks that a monitor makes during the faults before its silence counts. */
const CHECKS = 3;

interface Monitors {
  scenario: Scenario;
  detector: string;
  /** Ids by the word for each. */
  bystanders: ReadonlyMap<string, string>;
}

interface Options {
  /** The bundle of silent-listener.ts. */
  silentListener: string;
  /** start.mjs of the checkout. */
  start: string;
  say: (line: string) => void;
}

/** Runs the scenarios side by side: all sound, then all broken, then all sound again. */
export async function runScenarios(scenarios: readonly Scenario[], options: Options): Promise<Score[]> {
  const { say } = options;
  const secureNames = scenarios.map(({ name }) => name).filter((name) => name.startsWith('tls-'));
  const world = await World.start(secureNames, options.silentListener);
  try {
    const fleet = await startFleet(world, options.start);
    try {
      const watch = await Watch.start(fleet.session);
      try {
        const monitors = await addMonitors(scenarios, world, watch);
        return await breakAndHeal(monitors, world, watch, say);
      } finally {
        await watch.stop();
      }
    } finally {
      await fleet.stop();
    }
  } finally {
    await world.stop();
  }
}

async function addMonitors(scenarios: readonly Scenario[], world: World, watch: Watch): Promise<Monitors[]> {
  const home = world.regions.slice(0, 1);
  const monitors: Monitors[] = [];
  for (const scenario of scenarios) {
    const bystanders = new Map<string, string>();
    for (const [word, make] of Object.entries(scenario.bystanders ?? {})) {
      bystanders.set(word, await watch.add(`${scenario.name}, ${word}`, home, make(world)));
    }
    const detector = await watch.add(scenario.name, home, scenario.detector(world));
    monitors.push({ scenario, detector, bystanders });
  }
  return monitors;
}

async function breakAndHeal(
  monitors: readonly Monitors[], world: World, watch: Watch, say: Options['say'],
): Promise<Score[]> {
  const detectors = monitors.map(({ detector }) => detector);
  const bystanders = monitors.flatMap((each) => [...each.bystanders.values()]);
  const all = [...detectors, ...bystanders];
  say(`${all.length} monitors of ${monitors.length} scenarios; waiting until they are up`);
  await watch.holds(all, async (id) => (await watch.status(id)) === 'up', LIMIT_MS);

  say('All faults begin');
  const brokenAt = Date.now();
  for (const { scenario } of monitors) await scenario.turn(world, true);
  const isAlerted = (id: string): boolean => watch.alerts(id).some(({ at }) => at >= brokenAt);
  const isWatched = async (id: string): Promise<boolean> => (await watch.results(id, brokenAt)).length >= CHECKS;
  await watch.holds(detectors, isAlerted, LIMIT_MS);
  await watch.holds(bystanders, isWatched, LIMIT_MS);

  say('All faults end');
  const healedAt = Date.now();
  for (const { scenario } of monitors) await scenario.turn(world, false);
  const isOver = async (id: string): Promise<boolean> =>
    (await watch.status(id)) === 'up' && (watch.alerts(id).length !== 1 || isAdvisory(watch, id));
  await watch.holds(detectors, isOver, LIMIT_MS);

  const scores: Score[] = [];
  for (const each of monitors) scores.push(await judge(each, { world, watch, brokenAt, healedAt }));
  return scores;
}

/** Whether all that was said of a monitor has no end that could be reported. */
function isAdvisory(watch: Watch, id: string): boolean {
  return watch.alerts(id).every(({ event }) => event === 'monitor.ssl_expiring');
}

async function judge(
  { scenario, detector, bystanders }: Monitors,
  { world, watch, brokenAt, healedAt }: { world: World; watch: Watch; brokenAt: number; healedAt: number },
): Promise<Score> {
  const failed = (await watch.results(detector, brokenAt, healedAt)).find(({ error }) => error !== null);
  return score({
    name: scenario.name, expected: scenario.expected, brokenAt, healedAt,
    alerts: watch.alerts(detector),
    bystanderAlerts: [...bystanders].flatMap(
      ([bystander, id]) => watch.alerts(id).map((alert) => ({ bystander, ...alert })),
    ),
    incident: await watch.incident(detector),
    layer: failed?.error?.layer ?? null,
    expectedRegions: scenario.expected.regions === 'abroad' ? world.regions.slice(1) : null,
  });
}
