import { describe, expect, test } from 'vitest';
import { fromNearerEnd, planList, type MonitorListQuery } from '../../../controller/monitors/list/list-rules.ts';

const GROUP = 'a group';
const COUNTS = {
  cells: { 'HTTP active': 700, 'HTTP paused': 100, 'TCP active': 200 },
  regions: {},
  groups: { [GROUP]: { 'HTTP active': 60, 'TCP active': 40 } },
};

const query = (overrides: Partial<MonitorListQuery> = {}): MonitorListQuery =>
  ({ limit: 50, offset: 0, sortBy: 'created_at', isDescending: true, ...overrides });

describe('a page of monitors', () => {
  test('of a whole project or group is read from an index in every order', () => {
    expect(planList(query(), COUNTS)).toEqual({ kind: 'whole', total: 1000 });
    expect(planList(query({ sortBy: 'name', offset: 900 }), COUNTS)).toEqual({ kind: 'whole', total: 1000 });
    expect(planList(query({ groupId: GROUP }), COUNTS)).toEqual({ kind: 'whole', total: 100 });
    expect(planList(query({ groupId: GROUP, sortBy: 'name' }), COUNTS)).toEqual({
      kind: 'whole', total: 100,
    });
    expect(planList(query({ groupId: GROUP, types: ['HTTP', 'TCP'] }), COUNTS)).toEqual({
      kind: 'whole', total: 100,
    });
  });

  test('near the start of a filtered list is merged from cells', () => {
    const cells =
      [{ type: 'HTTP', status: 'active', count: 700 }, { type: 'TCP', status: 'active', count: 200 }];
    expect(planList(query({ statuses: ['active'] }), COUNTS)).toEqual({ kind: 'cells', total: 900, cells });
    expect(planList(query({ types: ['TCP'], offset: 100 }), COUNTS)).toMatchObject({
      kind: 'cells', total: 200,
    });
  });

  test('is filtered one by one for a search, for tags, and for a type within a group', () => {
    expect(planList(query({ search: 'shop' }), COUNTS)).toEqual({ kind: 'matching', total: null });
    expect(planList(query({ groupId: GROUP, tags: ['eu'] }), COUNTS)).toEqual({
      kind: 'matching', total: null,
    });
    expect(planList(query({ groupId: GROUP, types: ['TCP'] }), COUNTS)).toEqual({
      kind: 'matching', total: 40,
    });
  });

  test('after the end of a list, or of an empty group, is not read', () => {
    expect(planList(query({ offset: 1000 }), COUNTS)).toEqual({ kind: 'empty', total: 1000 });
    expect(planList(query({ groupId: 'another' }), COUNTS)).toEqual({ kind: 'empty', total: 0 });
  });

  test('is read from the nearer end', () => {
    expect(fromNearerEnd({ offset: 950, limit: 50 }, 1000)).toEqual({ offset: 0, limit: 50, isReversed: true });
    expect(fromNearerEnd({ offset: 980, limit: 50 }, 1000)).toEqual({ offset: 0, limit: 20, isReversed: true });
    expect(fromNearerEnd({ offset: 100, limit: 50 }, 1000)).toEqual({
      offset: 100, limit: 50, isReversed: false,
    });
  });
});
