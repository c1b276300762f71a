import type { GroupNode } from '../live/groups.ts';
import { arrange } from './arrange.ts';
import { shownState } from '../ui/shown-state.ts';
import type { Monitor } from './monitor.ts';
import { DEFAULTS } from './options.ts';

/** The monitors of one group, sorted by name, so that each keeps its position on the wall. */
export interface Panel {
  key: string;
  /** The group and its parents, topmost first; empty for no group. */
  title: string;
  monitors: Monitor[];
}

/** A screen can't show more. */
export const MAX_TILES = 5000;

/** Two rows on a wide screen; any more are counted, and all of them have tiles. */
const MAX_LARGE = 8;
/** From this number on, every monitor has a tile in every state, so that people find it by position. */
const MIN_WITH_PLACES = 25;

export interface WallParts {
  /** Problems, worst first, shown large. */
  large: Monitor[];
  /** Number of problems that are not shown large. */
  moreProblems: number;
  /** Monitors with a tile. On a small wall, a monitor that is shown large has none. */
  tiled: readonly Monitor[];
}

/** Splits the wall into large problems and tiles. `monitors` must be sorted worst first. */
export function wallParts(monitors: readonly Monitor[]): WallParts {
  const problems = monitors.filter((one) => ['down', 'degraded'].includes(shownState(one)));
  const large = problems.length > MAX_LARGE ? problems.slice(0, MAX_LARGE - 1) : problems;
  const tiled = monitors.length < MIN_WITH_PLACES ? monitors.filter((one) => !large.includes(one)) : monitors;
  return { large, moreProblems: problems.length - large.length, tiled };
}

/** All monitors by group in tree order, and how many are left out. */
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
      // A group's own monitors follow its subgroups.
      panels.get(item.key.slice(0, -item.monitor.id.length - 1))?.monitors.push(item.monitor);
      room -= 1;
    }
  }
  const filled = [...panels.values()].filter((panel) => panel.monitors.length > 0);
  return { panels: filled, leftOut: Math.max(0, monitors.length - MAX_TILES) };
}
