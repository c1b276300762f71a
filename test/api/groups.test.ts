import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

describe('groups', () => {
  let app: TestApp;
  let tenant: Tenant;
  let client: ApiClient;
  beforeAll(async () => {
    app = await makeApp();
    tenant = await newTenant(app);
    client = tenant.owner.client;
  });
  afterAll(() => app.close());

  const create = async (body: object, by: ApiClient = client): Promise<Loose> => {
    const response = await by.post('/api/groups', { name: `G ${randomUUID()}`, ...body });
    expect(response.status, response.text).toBe(201);
    return response.data;
  };
  const monitor = async (groupId: string | null = null, by: ApiClient = client): Promise<Loose> => {
    const body = {
      name: `M ${randomUUID()}`, type: 'HTTP', target: 'https://example.com/', interval_seconds: 60,
      ...(groupId === null ? {} : { group_id: groupId }),
    };
    const response = await by.post('/api/monitors', body);
    expect(response.status, response.text).toBe(201);
    return response.data.monitor;
  };
  const chain = async (length: number, by: ApiClient = client): Promise<Loose[]> => {
    const groups: Loose[] = [];
    for (let level = 0; level < length; level += 1) {
      const parent = groups[level - 1];
      groups.push(await create(parent === undefined ? {} : { parent_group_id: parent.id }, by));
    }
    return groups;
  };

  describe('one', () => {
    test('is created with trimmed text and can be read', async () => {
      const made = await create({ name: ' \t Shop EU\r\n', description: 'All of it' });
      expect(made).toEqual({
        id: made.id, organization_id: tenant.organizationId, project_id: tenant.projectId,
        created_by: tenant.owner.userId, managed_by: null, name: 'Shop EU',
        description: 'All of it', created_at: made.created_at, updated_at: made.created_at, check_count: 0,
        monitors: [], children: [], path: [],
      });
      expect((await client.get(`/api/groups/${made.id}`)).data).toEqual({
        ...made, path: [{ id: made.id, name: 'Shop EU' }],
      });
    });

    test('shows its monitors, children and path', async () => {
      const [top, middle, bottom] = await chain(3) as [Loose, Loose, Loose];
      const member = await monitor(middle.id);
      app.owners.live.set(member.id, {
        status: 'down', since: 0, last_check_at: 1, last_success_at: null, last_failure_at: 1,
        open_incident: null, regions: [], in_maintenance: false,
      });
      const { data } = await tenant.readKey.get(`/api/groups/${middle.id}`);
      expect(data.check_count).toBe(1);
      expect(data.monitors).toEqual([{
        id: member.id, name: member.name, type: 'HTTP', target: member.target, interval_seconds: 60,
        status: 'active', configState: 'active', runtimeStatus: 'down', in_maintenance: false,
      }]);
      expect(data.children).toEqual([{ ...bottom }]);
      expect(data.path).toEqual([{ id: top.id, name: top.name }, { id: middle.id, name: middle.name }]);
      expect(data.parent_group_id).toBe(top.id);
    });

    test('accepts its own representation in a PUT', async () => {
      const [, child] = await chain(2) as [Loose, Loose];
      const { data } = await client.get(`/api/groups/${child.id}`);
      const back = await tenant.writeKey.put(`/api/groups/${child.id}`, data);
      expect(back.status).toBe(200);
      expect(back.data).toEqual({ ...data, path: [], monitors: [], children: [] });
    });

    test('is renamed, described and moved in one request, and can lose its description', async () => {
      const parent = await create({});
      const made = await create({ description: 'old' });
      const changed = await client.patch(
        `/api/groups/${made.id}`, { name: 'Renamed at once', description: '', parent_group_id: parent.id },
      );
      expect(changed.data).toMatchObject({ name: 'Renamed at once', parent_group_id: parent.id });
      expect(changed.data).not.toHaveProperty('description');
      expect(
        (await client.patch(`/api/groups/${made.id}`, { parent_group_id: null })).data,
      ).not.toHaveProperty('parent_group_id');
    });

    test('has a name that is unique in the project at any level', async () => {
      const parent = await create({});
      await create({ name: 'Taken' });
      for (const body of [
        { name: 'Taken' }, { name: ' Taken ' }, { name: 'Taken', parent_group_id: parent.id },
      ]) {
        expect((await client.post('/api/groups', body)).error).toMatchObject({ code: 'DUPLICATE_NAME' });
      }
      await create({ name: 'taken' });
      const other = await create({});
      expect((await client.patch(`/api/groups/${other.id}`, { name: 'Taken' })).error).toMatchObject({
        code: 'DUPLICATE_NAME',
      });
      expect(
        (await client.patch(`/api/groups/${other.id}`, { name: 'Taken', parent_group_id: parent.id })).error,
      ).toMatchObject({ code: 'DUPLICATE_NAME' });
      expect((await client.get(`/api/groups/${other.id}`)).data).not.toHaveProperty('parent_group_id');
      expect((await client.patch(`/api/groups/${other.id}`, { parent_group_id: parent.id })).status).toBe(
        200,
      );
      const same = await create({ name: 'Taken' }, (await newTenant(app)).owner.client);
      expect(same.name).toBe('Taken');
    });

    test('concurrent requests for one name succeed once', async () => {
      const responses =
        await Promise.all(Array.from({ length: 8 }, () => client.post('/api/groups', { name: 'At once' })));
      expect(responses.map((response) => response.status).sort()).toEqual([
        201, ...Array.from({ length: 7 }, () => 400),
      ]);
    });

    test.each([
      ['no name', {}, 'name', 'invalid_type'],
      ['an empty name', { name: '   ' }, 'name', 'too_small'],
      ['a long name', { name: 'x'.repeat(101) }, 'name', 'too_big'],
      ['a long description', { name: 'x', description: 'x'.repeat(501) }, 'description', 'too_big'],
      ['a parent that is not an id', { name: 'x', parent_group_id: 'top' }, 'parent_group_id', undefined],
      [
        'a parent that does not exist', { name: 'x', parent_group_id: randomUUID() }, 'parent_group_id',
        undefined,
      ],
      ['an unknown field', { name: 'x', colour: 'red' }, 'colour', 'unrecognized_keys'],
    ])('is rejected with %s', async (_what, body, path, code) => {
      const { status, error } = await client.post('/api/groups', body);
      expect(status).toBe(400);
      expect(error.code).toBe('VALIDATION_ERROR');
      expect(error.details[0].path).toEqual([path]);
      if (code !== undefined) expect(error.details[0].code).toBe(code);
    });

    test('of another organization is not found', async () => {
      const foreign = (await newTenant(app)).owner.client;
      const mine = await create({});
      const theirs = await create({}, foreign);
      for (const call of [
        foreign.get(
          `/api/groups/${mine.id}`,
        ), foreign.patch(`/api/groups/${mine.id}`, { name: 'x' }), foreign.delete(`/api/groups/${mine.id}`),
        foreign.get(`/api/groups/${mine.id}/stats`), foreign.post(`/api/groups/${mine.id}/bulk-pause`),
        foreign.get(`/api/groups/${randomUUID()}`),
        foreign.post(`/api/groups/${mine.id}/bulk-delete`, { confirm: true }),
      ]) {
        const { status, error } = await call;
        expect([status, error]).toEqual([
          404, { code: 'RESOURCE_NOT_FOUND', message: 'Group not found', details: { resourceType: 'Group' } },
        ]);
      }
      expect((await foreign.post('/api/groups', { name: 'x', parent_group_id: mine.id })).status).toBe(400);
      expect((await foreign.patch(`/api/groups/${theirs.id}`, { parent_group_id: mine.id })).status).toBe(
        400,
      );
      expect(
        (await foreign.post(`/api/groups/${theirs.id}/bulk-move`, { target_group_id: mine.id })).status,
      ).toBe(400);
      expect((await foreign.post(
        `/api/groups/${theirs.id}/monitors`, { monitor_ids: [(await monitor()).id] },
      )).error.code)
        .toBe('VALIDATION_ERROR');
      expect((await foreign.post(
        '/api/monitors',
        { name: 'x', type: 'HTTP', target: 'https://example.com/', interval_seconds: 60, group_id: mine.id },
      )).error)
        .toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['group_id'] }] });
    });
  });

  describe('the tree', () => {
    test('has ten levels', async () => {
      const groups = await chain(10);
      const tenth = groups[9] as Loose;
      const name = `deep ${randomUUID()}`;
      expect((await client.post('/api/groups', { name, parent_group_id: tenth.id })).error).toMatchObject({
        code: 'MAX_DEPTH_EXCEEDED',
      });
      const [top, below] = await chain(2) as [Loose, Loose];
      expect(
        (await client.patch(`/api/groups/${top.id}`, { parent_group_id: groups[8]?.id })).error,
      ).toMatchObject({ code: 'MAX_DEPTH_EXCEEDED' });
      expect((await client.patch(`/api/groups/${below.id}`, { parent_group_id: groups[8]?.id })).status).toBe(
        200,
      );
      expect((await client.post('/api/groups', { name })).status, 'the refused name is free').toBe(201);
    });

    test('has no cycles', async () => {
      const [top, middle, bottom] = await chain(3) as [Loose, Loose, Loose];
      for (const parent of [top, middle, bottom]) {
        expect(
          (await client.put(`/api/groups/${top.id}`, { parent_group_id: parent.id })).error,
        ).toMatchObject({ code: 'CIRCULAR_REFERENCE' });
      }
    });

    test('stays without cycles and within ten levels under concurrent moves', async () => {
      const { owner: { client: own } } = await newTenant(app);
      const groups = [...await chain(6, own), ...await chain(6, own)];
      const moves = Array.from(
        { length: 60 },
        (_, index) => [groups[(index * 7) % 12] as Loose, groups[(index * 5 + 3) % 12] as Loose] as const,
      );
      // A read of the tree that waits two seconds for a database connection fails.
      const atOnce = new PQueue({ concurrency: 20 });
      const responses = await atOnce.addAll(moves.map(
        ([one, other]) => () => own.patch(`/api/groups/${one.id}`, { parent_group_id: other.id }),
      ));
      const codes = responses.map((response) => response.error?.code ?? 'moved');
      expect(new Set(codes)).toEqual(new Set([
        'moved', 'CIRCULAR_REFERENCE',
        ...(codes.includes('MAX_DEPTH_EXCEEDED') ? ['MAX_DEPTH_EXCEEDED'] : []),
      ]));
      const { data } = await own.get('/api/groups/hierarchy');
      expect(countAll(data.groups)).toBe(12);
      expect(levelsOf(data.groups)).toBeLessThanOrEqual(10);
    });

    test('is returned as a whole, sorted by name', async () => {
      const { owner: { client: own } } = await newTenant(app);
      const names = ['b', 'B', '\u{1f600}', '\uff5e', 'a'];
      for (const name of names) await create({ name }, own);
      const parent = (await own.get('/api/groups/hierarchy')).data.groups[0];
      await create({ name: 'child', parent_group_id: parent.id }, own);
      const { groups } = (await own.get('/api/groups/hierarchy')).data;
      expect(groups.map((group: Loose) => group.name)).toEqual(['B', 'a', 'b', '\uff5e', '\u{1f600}']);
      expect(groups[0].children.map((group: Loose) => group.name)).toEqual(['child']);
      expect(
        (await own.get('/api/groups/health-summary')).data.groups.map((group: Loose) => group.name),
      ).toEqual(['B', 'a', 'b', 'child', '\uff5e', '\u{1f600}']);
    });

    test('moves the children of a deleted group up', async () => {
      const [top, middle, bottom] = await chain(3) as [Loose, Loose, Loose];
      const member = await monitor(middle.id);
      expect((await client.delete(`/api/groups/${middle.id}`)).data).toEqual({
        message: 'Group deleted successfully',
      });
      expect((await client.delete(`/api/groups/${middle.id}`)).status).toBe(404);
      const { data } = await client.get(`/api/groups/${top.id}`);
      expect(data.children.map((child: Loose) => child.id)).toEqual([bottom.id]);
      expect(data.monitors.map((each: Loose) => each.id)).toEqual([member.id]);
      expect((await client.delete(`/api/groups/${top.id}`)).status).toBe(200);
      expect((await client.get(`/api/monitors/${member.id}`)).data.monitor).not.toHaveProperty('group_id');
      expect((await client.get(`/api/groups/${bottom.id}`)).data).not.toHaveProperty('parent_group_id');
      expect((await client.post('/api/groups', { name: middle.name })).status, 'its name is free').toBe(201);
    });
  });

  describe('lists', () => {
    test('are paged, newest first', async () => {
      const { owner: { client: own } } = await newTenant(app);
      expect((await own.get('/api/groups')).data).toEqual({ groups: [], total: 0, page: 1, limit: 10 });
      const made: Loose[] = [];
      for (let index = 0; index < 12; index += 1) made.unshift(await create({}, own));
      expect((await own.get('/api/groups')).data).toEqual({
        groups: made.slice(0, 10), total: 12, page: 1, limit: 10,
      });
      expect((await own.get('/api/groups?page=3&limit=5')).data).toEqual({
        groups: made.slice(10), total: 12, page: 3, limit: 5,
      });
      expect((await own.get('/api/groups?page=99999999')).data).toEqual({
        groups: [], total: 12, page: 99999999, limit: 10,
      });
    });

    test.each(['0', '-1', 'x', '1.5', '1e3', ''])('reject the page %j', async (page) => {
      expect((await client.get(`/api/groups?page=${page}`)).error.code).toBe('INVALID_PAGE');
    });

    test.each(['0', '101', '-1', 'NaN', '1e9', ''])('reject the limit %j', async (limit) => {
      expect((await client.get(`/api/groups?limit=${limit}`)).error.code).toBe('INVALID_LIMIT');
    });
  });

  describe('monitors', () => {
    test('belong to the group in which they were created or to which they were moved', async () => {
      const [one, other] = [await create({}), await create({})];
      const member = await monitor(one.id);
      expect(member.group_id).toBe(one.id);
      const listed = async (id: string) =>
        (await client.get(`/api/monitors?group_id=${id}`)).data.monitors.map(
          (each: Loose) => [each.id, each.group_id, each.group_name],
        );
      expect(await listed(one.id)).toEqual([[member.id, one.id, one.name]]);
      expect(
        (await client.patch(`/api/monitors/${member.id}`, { group_id: other.id })).data.monitor.group_id,
      ).toBe(other.id);
      expect(await listed(one.id)).toEqual([]);
      const put =
        await client.post(`/api/groups/${one.id}/monitors`, { monitor_ids: [member.id, member.id] });
      expect(put.data).toEqual({ affected_count: 1, monitor_ids: [member.id], message: '1 monitor added' });
      expect((await client.post(
        `/api/groups/${one.id}/monitors`, { monitor_ids: [member.id] },
      )).data.affected_count, 'repeated')
        .toBe(0);
      expect((await client.get(`/api/groups/${one.id}`)).data.check_count).toBe(1);
      expect(
        (await client.patch(`/api/monitors/${member.id}`, { group_id: null })).data.monitor,
      ).not.toHaveProperty('group_id');
      expect(
        (await client.patch(`/api/monitors/${member.id}`, { group_id: randomUUID() })).error,
      ).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['group_id'] }] });
      const mixed =
        await client.post(`/api/groups/${one.id}/monitors`, { monitor_ids: [member.id, randomUUID()] });
      expect(mixed.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: ['monitor_ids'] }] });
      expect((await client.get(`/api/groups/${one.id}`)).data.check_count, 'none was put').toBe(0);
    });

    test('are paused, resumed and moved together where needed', async () => {
      const [one, other] = [await create({}), await create({})];
      const [active, paused, disabled] =
        [await monitor(one.id), await monitor(one.id), await monitor(one.id)];
      await client.post(`/api/monitors/${paused.id}/pause`);
      await client.post(`/api/monitors/${disabled.id}/disable`);
      expect((await client.post(`/api/groups/${one.id}/bulk-pause`)).data).toEqual({
        affected_count: 1, monitor_ids: [active.id], message: '1 monitor paused',
      });
      const resumed = (await client.post(`/api/groups/${one.id}/bulk-resume`)).data;
      expect([resumed.affected_count, resumed.monitor_ids.sort()]).toEqual([
        2, [active.id, paused.id].sort(),
      ]);
      expect((await client.get(`/api/monitors/${disabled.id}`)).data.monitor.status).toBe('disabled');
      const moved =
        (await client.post(`/api/groups/${one.id}/bulk-move`, { target_group_id: other.id })).data;
      expect([moved.affected_count, moved.message]).toEqual([3, '3 monitors moved']);
      expect((await client.post(
        `/api/groups/${one.id}/bulk-move`, { target_group_id: other.id },
      )).data.affected_count, 'repeated')
        .toBe(0);
      expect((await client.get(`/api/groups/${other.id}`)).data.check_count).toBe(3);
      expect((await app.monitors.findByIds([active.id]))[0]).toMatchObject({
        revision: 4, unjournaled: expect.any(Number),
      });
    });

    test.each([
      {}, { target_group_id: null }, { target_group_id: '' },
    ])('are not moved without a destination: %j', async (body) => {
      const { error } = await client.post(`/api/groups/${(await create({})).id}/bulk-move`, body);
      expect(error.code).toBe('VALIDATION_ERROR');
      expect(error.message).toMatch(/target group ID is required/i);
    });

    test('are deleted together after confirmation, and free their places in the plan', async () => {
      const { owner: { client: own }, organizationId } = await newTenant(app);
      const group = await create({}, own);
      const members = [await monitor(group.id, own), await monitor(group.id, own)];
      for (const body of [{}, { confirm: false }]) {
        expect((await own.post(`/api/groups/${group.id}/bulk-delete`, body)).error.code).toBe(
          'CONFIRMATION_REQUIRED',
        );
      }
      const taken = async () => (await app.db.collection<{ _id: string; monitors: number }>('usage').findOne({
        _id: organizationId,
      }))?.monitors;
      expect(await taken()).toBe(2);
      const both = await Promise.all(
        [1, 2].map(() => own.post(`/api/groups/${group.id}/bulk-delete`, { confirm: true })),
      );
      expect(new Set(both.flatMap((response) => response.data.monitor_ids))).toEqual(
        new Set(members.map((member) => member.id)),
      );
      expect(await taken()).toBe(0);
      expect((await own.get(`/api/groups/${group.id}`)).data.check_count).toBe(0);
      expect((await own.get('/api/monitors')).data.pagination.total_count).toBe(0);
    });

    test('are all included when there are many', async () => {
      const { owner: { client: own } } = await newTenant(app);
      const [group, other] = [await create({}, own), await create({}, own)];
      const monitors = app.db.collection<MonitorDoc>('monitors');
      const model = await monitors.findOne({ _id: (await monitor(group.id, own)).id }) as MonitorDoc;
      await monitors.insertMany(Array.from({ length: 1100 }, () => ({ ...model, _id: randomUUID() })));
      expect((await own.post(`/api/groups/${group.id}/bulk-pause`)).data.affected_count).toBe(1101);
      expect((await own.post(
        `/api/groups/${group.id}/bulk-move`, { target_group_id: other.id },
      )).data.affected_count)
        .toBe(1101);
      const { data } = await own.get(`/api/groups/${other.id}`);
      expect([data.check_count, data.monitors.length]).toEqual([1101, 1000]);
      expect((await own.get(`/api/groups/${other.id}/stats`)).data).toMatchObject({
        total_monitors: 1101, paused_monitors: 1101,
      });
    });
  });

  describe('statistics', () => {
    const live = (status: 'up' | 'down' | 'degraded') =>
      ({
        status, since: 0, last_check_at: 1, last_success_at: null, last_failure_at: null, open_incident: null,
        regions: [], in_maintenance: false,
      });
    const stats = (uptime: number | null, time: number | null) =>
      ({ uptime_percentage: uptime, avg_response_time: time, total_checks: 1, failed_checks: 0 });

    test('weigh every monitor equally', async () => {
      const group = await create({});
      const empty = { uptime: 0, avg_response_time: 0 };
      expect((await client.get(`/api/groups/${group.id}/stats`)).data).toEqual({
        total_monitors: 0, active_monitors: 0, paused_monitors: 0, monitors_up: 0, monitors_down: 0,
        avg_response_time: 0, uptime_percentage: 0,
        historical: { last_24h: empty, last_7d: empty, last_30d: empty },
      });
      const members =
        [await monitor(group.id), await monitor(group.id), await monitor(group.id), await monitor(group.id)];
      const [up, down, degraded, paused] =
        members.map((member) => member.id) as [string, string, string, string];
      await client.post(`/api/monitors/${paused}/pause`);
      for (const [id, status] of [
        [up, 'up'], [down, 'down'], [degraded, 'degraded'], [paused, 'down'],
      ] as const) {
        app.owners.live.set(id, live(status));
      }
      app.owners.figures.set(up, stats(100, 50));
      app.owners.figures.set(down, stats(49, null));
      const window = { uptime: 74.5, avg_response_time: 50 };
      expect((await client.get(`/api/groups/${group.id}/stats`)).data).toEqual({
        total_monitors: 4, active_monitors: 3, paused_monitors: 1, monitors_up: 2, monitors_down: 1,
        avg_response_time: 50, uptime_percentage: 74.5,
        historical: { last_24h: window, last_7d: window, last_30d: window },
      });
    });

    test('show the health of every group', async () => {
      const { owner: { client: own } } = await newTenant(app);
      const [healthy, degraded, down, unknown] = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => create({ name }, own)),
      ) as [Loose, Loose, Loose, Loose];
      for (const [group, statuses] of [
        [healthy, ['up', 'degraded']], [degraded, ['up', 'down']], [down, ['down', 'down']],
      ] as const) {
        for (const status of statuses) app.owners.live.set((await monitor(group.id, own)).id, live(status));
      }
      await monitor(null, own);
      const checked = await monitor(healthy.id, own);
      app.owners.live.set(checked.id, live('up'));
      app.owners.figures.set(checked.id, stats(100, 50));
      const entry = (group: Loose, count: number, health: string, uptime = 0) =>
        ({ id: group.id, name: group.name, check_count: count, health_status: health, uptime_percentage: uptime });
      expect((await own.get('/api/groups/health-summary')).data).toEqual({
        groups: [
          entry(healthy, 3, 'healthy', 100), entry(degraded, 2, 'degraded'), entry(down, 2, 'down'),
          entry(unknown, 0, 'unknown'),
        ],
      });
    });
  });
});

function countAll(groups: Loose[]): number {
  return groups.reduce((sum, group) => sum + 1 + countAll(group.children), 0);
}

function levelsOf(groups: Loose[]): number {
  return groups.length === 0 ? 0 : 1 + Math.max(...groups.map((group) => levelsOf(group.children)));
}
