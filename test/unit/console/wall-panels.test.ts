import { expect, test } from 'vitest';
import type { GroupNode } from '../../../controller/console/app/live/groups.ts';
import { rankNames, toMonitor, type Monitor } from '../../../controller/console/app/overview/monitor.ts';
import { MAX_TILES, panelsOf, wallParts } from '../../../controller/console/app/overview/wall-panels.ts';

const monitor = (name: string, group: string | null, state: Monitor['runtimeStatus'] = 'up'): Monitor => toMonitor({
  id: `id-${name}`, name, type: 'HTTP', target: 'https://shop.example/', status: 'active', runtimeStatus: state, since: 1, in_maintenance: false,
  interval_seconds: 60, group_id: group, tags: [], created_at: 0, region_ids: [], down_region_ids: [], last_check_at: null,
  response_time_ms: null, incident: null,
});

const groups: GroupNode[] = [
  { id: 'shops', name: 'Shops', children: [{ id: 'north', name: 'North', children: [] }, { id: 'empty', name: 'Empty', children: [] }] },
  { id: 'offices', name: 'Offices', children: [] },
];

function shown(monitors: Monitor[]) {
  rankNames(monitors, 'en');
  return panelsOf(monitors, groups).panels.map(({ title, monitors: members }) => [title, members.map(({ name }) => name)]);
}

test('each group with monitors is a panel, titled with its parents, with only its own monitors', () => {
  expect(shown([
    monitor('b', 'shops'), monitor('c', 'north'), monitor('a', 'shops'), monitor('d', null), monitor('e', 'gone'), monitor('f', 'offices'),
  ])).toEqual([['Shops', ['a', 'b']], ['Shops / North', ['c']], ['Offices', ['f']], ['', ['d', 'e']]]);
});

test('a monitor keeps its position when it goes down', () => {
  expect(shown([monitor('web 10', null, 'down'), monitor('web 2', null)])).toEqual([['', ['web 2', 'web 10']]]);
});

test('shows no more tiles than fit on a screen', () => {
  const many = Array.from({ length: MAX_TILES + 7 }, (_, at) => monitor(`m${at}`, at % 2 === 0 ? 'shops' : null));
  rankNames(many, 'en');
  const { panels, leftOut } = panelsOf(many, groups);
  expect(panels.reduce((sum, { monitors }) => sum + monitors.length, 0)).toBe(MAX_TILES);
  expect(leftOut).toBe(7);
});

const many = (count: number, wrong: number) =>
  Array.from({ length: count }, (_, at) => monitor(`m${at}`, null, at < wrong ? 'down' : 'up'));

test('on a small wall, a monitor that is shown large has no tile', () => {
  const { large, moreProblems, tiled } = wallParts(many(6, 2));
  expect([large, moreProblems, tiled].map((part) => (Array.isArray(part) ? part.map(({ name }) => name) : part)))
    .toEqual([['m0', 'm1'], 0, ['m2', 'm3', 'm4', 'm5']]);
});

test('counts problems that don\'t fit in large letters, and gives them a tile', () => {
  const { large, moreProblems, tiled } = wallParts(many(20, 9));
  expect([large.length, moreProblems, tiled.length]).toEqual([7, 2, 13]);
});

test('on a large wall, each monitor keeps its tile', () => {
  expect(wallParts(many(25, 2)).tiled).toHaveLength(25);
});
