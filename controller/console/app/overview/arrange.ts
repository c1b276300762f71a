import type { GroupNode } from '../live/groups.ts';
import { shownState, type ShownState } from '../ui/shown-state.ts';
import { STATE_ORDER, type Monitor } from './monitor.ts';
import type { Options, Sort } from './options.ts';

export interface Heading {
  kind: 'heading';
  /** Unique among all headings, even if titles repeat. */
  key: string;
  /** Empty for monitors without a group. */
  title: string;
  depth: number;
  /** Monitors below it, including those of its subheadings. */
  monitors: Monitor[];
  isOpen: boolean;
}

export interface Line {
  kind: 'line';
  /** A monitor with several tags or regions appears once under each. */
  key: string;
  monitor: Monitor;
  depth: number;
}

export type Item = Heading | Line;

export interface Arranged {
  /** Headings and rows from top to bottom. */
  items: Item[];
  /** All monitors of the rows, each once, including those under collapsed headings. */
  monitors: Monitor[];
}

interface ArrangeContext {
  groups: readonly GroupNode[];
  /** Uptime in percent; null or undefined if unknown. */
  uptimeOf: (id: string) => number | null | undefined;
  /** Keys of collapsed headings. */
  closed: ReadonlySet<string>;
}

/** Filters, groups and sorts the list. */
export function arrange(all: Iterable<Monitor>, options: Options, context: ArrangeContext): Arranged {
  const terms = options.q.toLowerCase().split(/\s+/).filter((term) => term !== '');
  const isWanted = (monitor: Monitor) => (options.state === '' || shownState(monitor) === options.state)
    && (options.type === '' || monitor.type === options.type)
    && (options.tag === '' || monitor.tags.includes(options.tag))
    && (options.region === '' || monitor.region_ids.includes(options.region))
    && terms.every((term) => monitor.searchText.includes(term));
  const monitors = [...all].filter(isWanted).sort(comparison(options, context.uptimeOf));
  return { monitors, items: itemsOf(monitors, options.group, context) };
}

function itemsOf(monitors: Monitor[], group: Options['group'], { groups, closed }: ArrangeContext): Item[] {
  const lines = (members: Monitor[], parentKey: string, depth: number): Item[] =>
    members.map((monitor) => ({ kind: 'line', key: `${parentKey}/${monitor.id}`, monitor, depth }));
  const heading = (key: string, title: string, members: Monitor[], depth: number): Heading =>
    ({ kind: 'heading', key, title, depth, monitors: members, isOpen: !closed.has(key) });
  if (group === 'none') return lines(monitors, '', 0);
  if (group === 'tree') return treeOf(monitors, groups, { lines, heading });
  return [...byName(monitors, group)].flatMap(([name, members]) => {
    const own = heading(`${group}:${name}`, name, members, 0);
    return own.isOpen ? [own, ...lines(members, own.key, 1)] : [own];
  });
}

/** Groups by tag, type, state or region, in that value's order. Monitors without a value come last. */
function byName(monitors: Monitor[], group: Exclude<Options['group'], 'none' | 'tree'>): Map<string, Monitor[]> {
  const namesOf = (monitor: Monitor): readonly string[] => {
    if (group === 'type') return [monitor.type];
    if (group === 'state') return [shownState(monitor)];
    return group === 'tag' ? monitor.tags : monitor.region_ids;
  };
  const found = new Map<string, Monitor[]>();
  for (const monitor of monitors) {
    const names = namesOf(monitor);
    for (const name of names.length === 0 ? [''] : names) {
      const members = found.get(name);
      if (members === undefined) found.set(name, [monitor]);
      else members.push(monitor);
    }
  }
  const rank = (name: string) => (name === '' ? '\uffff' : group === 'state' ? `${STATE_ORDER.indexOf(name as ShownState)}` : name);
  return new Map([...found].sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1)));
}

interface RowBuilders {
  lines: (members: Monitor[], parentKey: string, depth: number) => Item[];
  heading: (key: string, title: string, members: Monitor[], depth: number) => Heading;
}

/** Leaves out groups without monitors. */
function treeOf(monitors: Monitor[], groups: readonly GroupNode[], { lines, heading }: RowBuilders): Item[] {
  const own = new Map<string, Monitor[]>();
  for (const monitor of monitors) {
    const members = own.get(monitor.group_id ?? '');
    if (members === undefined) own.set(monitor.group_id ?? '', [monitor]);
    else members.push(monitor);
  }
  const monitorsBelow = (node: GroupNode): Monitor[] => [...own.get(node.id) ?? [], ...node.children.flatMap(monitorsBelow)];
  const itemsOfNode = (node: GroupNode, depth: number): Item[] => {
    const all = monitorsBelow(node);
    if (all.length === 0) return [];
    const head = heading(`group:${node.id}`, node.name, all, depth);
    if (!head.isOpen) return [head];
    const inside = node.children.flatMap((child) => itemsOfNode(child, depth + 1));
    return [head, ...inside, ...lines(own.get(node.id) ?? [], head.key, depth + 1)];
  };
  const shown = groups.flatMap((node) => itemsOfNode(node, 0));
  const groupIds = new Set(groups.flatMap(idsOf));
  const rest = monitors.filter(({ group_id: id }) => id === null || !groupIds.has(id));
  if (rest.length === 0) return shown;
  const head = heading('group:', '', rest, 0);
  return [...shown, head, ...head.isOpen ? lines(rest, head.key, 1) : []];
}

function idsOf(node: GroupNode): string[] {
  return [node.id, ...node.children.flatMap(idsOf)];
}

/** Sorts by ascending numbers; equal ones are sorted by name. */
function comparison({ sort, isReversed }: Options, uptimeOf: ArrangeContext['uptimeOf']): (one: Monitor, other: Monitor) => number {
  const keys: Record<Sort, (monitor: Monitor) => number> = {
    state: (monitor) => {
      const state = shownState(monitor);
      const isWrong = state === 'down' || state === 'degraded';
      // Among problems the newest comes first; 1e13 ms exceeds any timestamp.
      return STATE_ORDER.indexOf(state) - (isWrong ? (monitor.since ?? 0) / 1e13 : 0);
    },
    name: ({ nameRank }) => nameRank,
    since: ({ since }) => -(since ?? 0),
    last: ({ last_check_at: at }) => -(at ?? 0),
    time: ({ response_time_ms: ms }) => -(ms ?? -1),
    uptime: ({ id }) => uptimeOf(id) ?? 101,
  };
  const key = keys[sort];
  const sign = isReversed ? -1 : 1;
  return (one, other) => sign * (key(one) - key(other)) || one.nameRank - other.nameRank;
}

/** Whether live events change the order without a change of state. */
export function sortsByLiveValue({ sort }: Options): boolean {
  return sort === 'last' || sort === 'time';
}
