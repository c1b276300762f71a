import { arrange, type GroupNode } from './arrange.ts';
import { shownState } from '../ui/shown-state.ts';
import type { Monitor } from './monitor.ts';
import { DEFAULTS } from './options.ts';

/** The monitors of one group, in order of their names, so that each keeps its place on the wall. */
export interface Panel {
  key: string;
  /** The group and those above it, the highest first; empty: no group. */
  title: string;
  monitors: Monitor[];
}

/** A screen has no room for more. */
export const MAX_TILES = 5000;

/** Two rows on a wide screen; more are counted, and all of them are among the tiles. */
const MAX_LARGE = 8;
/** With so many monitors, each keeps its tile in every state, so that people find it by its place. */
const MIN_WITH_PLACES = 25;

export interface WallParts {
  /** What is wrong, the worst first, in large letters. */
  large: Monitor[];
  /** How many more are wrong than are shown large. */
  moreProblems: number;
  /** Those with a tile. On a small wall, a monitor that is shown large has none. */
  tiled: readonly Monitor[];
}

/** What the wall shows large, and what as tiles. `monitors`: the worst first. */
export function wallParts(monitors: readonly Monitor[]): WallParts {
  const problems = monitors.filter((one) => ['down', 'degraded'].includes(shownState(one)));
  const large = problems.length > MAX_LARGE ? problems.slice(0, MAX_LARGE - 1) : problems;
  const tiled = monitors.length < MIN_WITH_PLACES ? monitors.filter((one) => !large.includes(one)) : monitors;
  return { large, moreProblems: problems.length - large.length, tiled };
}

/** All monitors by group, in the order of the tree, and how many are left out. */
export function panelsOf(all: Iterable<Monitor>, groups: readonly GroupNode[]): { panels: Panel[]; leftOut: number } {
  const { items, monitors } = arrange(
    all, { ...DEFAULTS, group: 'tree', sort: 'name' }, { groups, closed: new Set(), uptimeOf: () => null },
  );
  const panels = new Map<string, Panel>();
  const above: string[] = [];
  let room = MAX_TILES;
  for (const item of items) {
    if (item.kind === 'heading') {
      above.splice(item.depth, Infinity, item.title);
      panels.set(item.key, { key: item.key, title: above.join(' / '), monitors: [] });
    } else if (room > 0) {
      // After the groups below it come the monitors of a group itself.
      panels.get(item.key.slice(0, -item.monitor.id.length - 1))?.monitors.push(item.monitor);
      room -= 1;
    }
  }
  const filled = [...panels.values()].filter((panel) => panel.monitors.length > 0);
  return { panels: filled, leftOut: Math.max(0, monitors.length - MAX_TILES) };
}
