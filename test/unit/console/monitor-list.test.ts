import { describe, expect, test } from 'vitest';
import type { GroupNode } from '../../../controller/console/app/live/groups.ts';
import { arrange } from '../../../controller/console/app/overview/arrange.ts';
import { applyIncident, applyRegion, applyResult, applyState } from '../../../controller/console/app/overview/live-changes.ts';
import { rankNames, toMonitor, type Monitor } from '../../../controller/console/app/overview/monitor.ts';
import { DEFAULTS, optionsOf, withOptions, type Options } from '../../../controller/console/app/overview/options.ts';
import { shownState } from '../../../controller/console/app/ui/shown-state.ts';

const monitor = (name: string, change: Partial<Monitor> = {}): Monitor => ({
  ...toMonitor({
    id: name, name, type: 'HTTP', target: `https://${name}.example/`, status: 'active', runtimeStatus: 'up', since: 1000,
    in_maintenance: false, interval_seconds: 60, group_id: null, tags: [], created_at: 0, region_ids: ['eu'],
    down_region_ids: [], last_check_at: 2000, response_time_ms: 50, incident: null,
  }), ...change,
});

const stateEvent = (
  previous_status: Monitor['runtimeStatus'], status: Monitor['runtimeStatus'], at: number, in_maintenance = false,
) => ({ previous_status, status, at, in_maintenance });

const groups: GroupNode[] = [
  { id: 'shops', name: 'Shops', children: [{ id: 'north', name: 'North', children: [] }, { id: 'empty', name: 'Empty', children: [] }] },
];

function lines(monitors: Monitor[], change: Partial<Options>, closed: string[] = []): string[] {
  rankNames(monitors, 'en');
  const context = { groups, closed: new Set(closed), uptimeOf: (id: string) => (id === 'known' ? 99 : undefined) };
  return arrange(monitors, { ...DEFAULTS, ...change }, context).items
    .map((item) => (item.kind === 'line' ? `${'  '.repeat(item.depth)}${item.monitor.name}` : `${'  '.repeat(item.depth)}[${item.title} ${item.monitors.length}]`));
}

describe('order', () => {
  test('is by state, latest outage first, with names in natural order', () => {
    expect(lines([
      monitor('web 10'), monitor('web 2'), monitor('slow', { runtimeStatus: 'degraded' }), monitor('paused', { runtimeStatus: 'paused' }),
      monitor('long down', { runtimeStatus: 'down', since: 5 }), monitor('just down', { runtimeStatus: 'down', since: 9000 }),
      monitor('lost', { runtimeStatus: 'unknown' }), monitor('served', { runtimeStatus: 'down', in_maintenance: true }),
    ], {})).toEqual(['just down', 'long down', 'slow', 'lost', 'served', 'web 2', 'web 10', 'paused']);
  });

  test.each([
    ['last', ['late', 'never'], monitor('late'), monitor('never', { last_check_at: null })],
    ['time', ['slow', 'quick', 'none'], monitor('quick'), monitor('slow', { response_time_ms: 900 }), monitor('none', { response_time_ms: null })],
    ['since', ['new', 'old'], monitor('old'), monitor('new', { since: 3000 })],
    ['uptime', ['known', 'a'], monitor('a'), monitor('known')],
  ] as [Options['sort'], string[], ...Monitor[]][])('by %s has unknown values last', (sort, expected, ...monitors) => {
    expect(lines(monitors, { sort })).toEqual(expected);
  });

  test('can be reversed, with equal monitors still sorted by name', () => {
    expect(lines([monitor('a'), monitor('b'), monitor('down', { runtimeStatus: 'down' })], { isReversed: true }))
      .toEqual(['a', 'b', 'down']);
  });
});

test('a search matches every word in name, target and tags, and filters narrow it', () => {
  const all = [monitor('Shop', { tags: ['front'], searchText: 'shop\nhttps://shop.example/\nfront' }), monitor('Mail', { type: 'TCP' })];
  expect(lines(all, { q: 'FRONT shop' })).toEqual(['Shop']);
  expect(lines(all, { q: 'front mail' })).toEqual([]);
  expect(lines(all, { type: 'TCP' })).toEqual(['Mail']);
  expect(lines(all, { tag: 'front' })).toEqual(['Shop']);
  expect(lines(all, { region: 'us' })).toEqual([]);
  expect(lines(all, { state: 'down' })).toEqual([]);
});

describe('groups', () => {
  const all = [
    monitor('a', { group_id: 'shops' }), monitor('b', { group_id: 'north', runtimeStatus: 'down' }), monitor('c', { group_id: 'gone' }),
    monitor('d', { tags: ['x', 'y'] }),
  ];

  test('are a tree without empty groups', () => {
    expect(lines(all, { group: 'tree' })).toEqual(['[Shops 2]', '  [North 1]', '    b', '  a', '[ 2]', '  c', '  d']);
  });

  test('are collapsed with everything below them', () => {
    expect(lines(all, { group: 'tree' }, ['group:shops'])).toEqual(['[Shops 2]', '[ 2]', '  c', '  d']);
  });

  test('by tag show a monitor under each of its tags, and untagged ones last', () => {
    expect(lines(all, { group: 'tag' })).toEqual(['[x 1]', '  d', '[y 1]', '  d', '[ 3]', '  b', '  a', '  c']);
  });

  test('by state are sorted worst first', () => {
    expect(lines(all, { group: 'state' })).toEqual(['[down 1]', '  b', '[up 3]', '  a', '  c', '  d']);
  });
});

describe('URL options', () => {
  test('contain only non-default values and keep parameters of others', () => {
    const query = withOptions('project=p', { q: 'a b', sort: 'name', isReversed: true, span: '90d' });
    expect(query).toBe('project=p&q=a+b&sort=name&span=90d&reversed=');
    expect(optionsOf(query)).toEqual({ ...DEFAULTS, q: 'a b', sort: 'name', isReversed: true, span: '90d' });
    expect(withOptions(query, DEFAULTS)).toBe('project=p');
  });

  test('ignore invalid values', () => {
    expect(optionsOf('sort=size&group=&span=1y&state=bad')).toEqual(DEFAULTS);
  });
});

describe('a live event', () => {
  test('changes a monitor unless a later event is known', () => {
    const one = monitor('a');
    expect(applyResult(one, { checked_at: 1999, outcome: 'success', response_time_ms: 1 })).toBe('none');
    expect(applyResult(one, { checked_at: 3000, outcome: 'missed', response_time_ms: null })).toBe('none');
    expect(applyResult(one, { checked_at: 3000, outcome: 'failure', response_time_ms: null })).toBe('shown');
    expect(one).toMatchObject({ last_check_at: 3000, response_time_ms: 50 });
    expect(applyState(one, stateEvent('up', 'down', 999))).toBe('none');
    expect(applyState(one, stateEvent('up', 'down', 4000))).toBe('arranged');
    expect(one).toMatchObject({ runtimeStatus: 'down', since: 4000 });
  });

  test('of a region lists it as down until it is up', () => {
    const one = monitor('a');
    applyRegion(one, { region: 'eu', status: 'down' });
    applyRegion(one, { region: 'asia', status: 'down' });
    expect(one).toMatchObject({ down_region_ids: ['asia', 'eu'], region_ids: ['eu', 'asia'] });
    applyRegion(one, { region: 'eu', status: 'up' });
    expect(one.down_region_ids).toEqual(['asia']);
    applyState(one, stateEvent('down', 'up', 5000));
    expect(one.down_region_ids).toEqual([]);
  });

  test('pauses and resumes', () => {
    const one = monitor('a');
    applyState(one, stateEvent('up', 'paused', 2000));
    expect(one).toMatchObject({ status: 'paused', runtimeStatus: 'paused' });
    applyState(one, stateEvent('paused', 'unknown', 3000));
    expect(one).toMatchObject({ status: 'active', runtimeStatus: 'unknown' });
  });

  test('of maintenance covers the state without changing it or its start', () => {
    const one = monitor('a');
    applyState(one, stateEvent('up', 'up', 4000, true));
    expect(one).toMatchObject({ runtimeStatus: 'up', in_maintenance: true, since: 1000 });
    expect(shownState(one)).toBe('maintenance');
    applyState(one, stateEvent('up', 'down', 5000, true));
    expect(one).toMatchObject({ runtimeStatus: 'down', since: 5000 });
    expect(shownState(one)).toBe('maintenance');
    applyState(one, stateEvent('down', 'down', 6000));
    expect(shownState(one)).toBe('down');
    expect(one.since).toBe(5000);
  });

  test('of an incident shows it while it is open; the end of another one changes nothing', () => {
    const one = monitor('a');
    const incident = { id: 'i', severity: 'major', started_at: '2026-01-01T00:00:00Z', created_by: null } as const;
    applyIncident(one, { ...incident, status: 'open' });
    applyIncident(one, { ...incident, id: 'other', status: 'resolved' });
    expect(one.incident).toMatchObject({ id: 'i', status: 'open' });
    applyIncident(one, { ...incident, status: 'resolved' });
    expect(one.incident).toBeNull();
  });

  test('of a manual incident shows it only while no other is open', () => {
    const one = monitor('a');
    const manualIncident = {
      id: 'made', severity: 'minor', status: 'open', started_at: '2026-01-01T00:00:00Z', created_by: 'person',
    } as const;
    applyIncident(one, manualIncident);
    expect(one.incident).toMatchObject({ id: 'made', severity: 'minor' });
    applyIncident(one, { ...manualIncident, severity: 'major' });
    expect(one.incident).toMatchObject({ id: 'made', severity: 'major' });
    applyIncident(one, { ...manualIncident, id: 'own', created_by: null });
    applyIncident(one, manualIncident);
    expect(one.incident).toMatchObject({ id: 'own' });
  });
});
