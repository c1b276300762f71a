import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpOf, findTraces, type Dump } from '../fuzz/traces.ts';
import { readContract, type Contract, type Operation } from '../fuzz/document.ts';
import { makeRequest, type FuzzRequest } from '../fuzz/make-request.ts';
import { kindOfField } from '../fuzz/pool.ts';
import { send } from '../fuzz/send.ts';
import { openWorld, type BystanderIds, type World } from '../fuzz/world.ts';
import { Random } from '../simulation/random.ts';
import type { Loose } from '../helpers/api-client.ts';

let world: World;
let contract: Contract;
let before: Dump;
let ours: { monitor: string; group: string; incident: string };
const monitor = { name: 'Mine', type: 'HTTP', target: 'https://mine.example/', interval_seconds: 60 };
const incident = { severity: 'major', type: 'timeout', error_message: 'x', title: 'Mine' };
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  world = await openWorld();
  contract = await readContract(world.rig.controller.url);
  before = await dumpOf(world);
  ours = {
    monitor: (await post('/api/monitors', monitor)).body.data.monitor.id,
    group: (await post('/api/groups', { name: 'Mine' })).body.data.id,
    incident: (await post('/api/incidents', incident)).body.data.incident.id,
  };
  world.pool.add('groups', ours.group);
  world.pool.add('monitors', ours.monitor);
});
afterAll(async () => {
  agent.destroy();
  await world.stop();
});

const call = async (method: string, path: string, body: Loose) => {
  const { url } = world.rig.controller;
  const response = await fetch(`${url}${path}`, {
    method, headers: { 'content-type': 'application/json', ...world.callers.owner.headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Loose };
};
const post = (path: string, body: Loose) => call('POST', path, body);

async function sendAsOwner(request: FuzzRequest): Promise<{ status: number; body: Loose }> {
  const response = await send(world.rig.controller.url, request, world.callers.owner.headers, agent);
  return { status: response?.status ?? 0, body: JSON.parse(response?.text ?? 'null') };
}

/** A request with a valid body and these ids in its path. */
function requestTo(operation: Operation, seed: number, idOf: (noun: string) => string): FuzzRequest {
  const making = {
    random: new Random(seed), pool: world.pool, named: contract.named, sink: world.sink.url,
    account: world.account,
  };
  const request = makeRequest(making, operation);
  const parts = operation.path.split('/');
  return {
    ...request,
    path: parts.map((part, at) => {
      if (part === '{projectId}') return world.ownProject;
      return part.startsWith('{') ? idOf(parts[at - 1] as string) : part;
    }).join('/'),
    headers: 'X-Project-ID' in request.headers
      ? { ...request.headers, 'X-Project-ID': world.ownProject }
      : request.headers,
  };
}

const theirs = (noun: string) => world.bystanderIds[(kindOfField(noun) ?? noun) as keyof BystanderIds];

/** The response to the first body that passes validation, so that the id is checked. */
async function responsePastValidation(operation: Operation, idOf: (noun: string) => string) {
  for (let seed = 1; seed <= 40; seed += 1) {
    const response = await sendAsOwner(requestTo(operation, seed, idOf));
    if (response.status !== 400) return { seed, ...response };
  }
  throw new Error(`${operation.name}: no body was right`);
}

test('every route returns the same response for another organization\'s id as for an unknown one', async () => {
  const named =
    contract.operations.filter((operation) => !operation.isPublic && /\{(?!projectId)/.test(operation.path));
  expect(named.length).toBeGreaterThan(40);
  for (const operation of named) {
    const foreign = await responsePastValidation(operation, theirs);
    // Only the installation's operator may refer to other organizations.
    const refusal = operation.path.startsWith('/api/organizations/') ? 403 : 404;
    expect(foreign.status, `${operation.name} ${JSON.stringify(foreign.body)}`).toBe(refusal);
    const unknownId = (noun: string) => (noun === 'regions' ? 'no-such-region' : randomUUID());
    const unknown = await sendAsOwner(requestTo(operation, foreign.seed, unknownId));
    expect(foreign.body, operation.name).toEqual(unknown.body);
  }
});

describe('an id of another organization in a body', () => {
  test.each<[string, (their: BystanderIds) => [method: string, path: string, body: Loose]]>([
    [
      'group_id of a new monitor',
      ({ groups }) => ['POST', '/api/monitors', { ...monitor, group_id: groups }],
    ],
    [
      'group_id of a monitor',
      ({ groups }) => ['PATCH', `/api/monitors/${ours.monitor}`, { group_id: groups }],
    ],
    ['notification_target_ids of a new monitor', ({ integrations }) => [
      'POST', '/api/monitors', { ...monitor, notification_target_ids: [integrations] },
    ]],
    ['notification_target_ids of a monitor', ({ integrations }) => [
      'PUT', `/api/monitors/${ours.monitor}`, { notification_target_ids: [integrations] },
    ]],
    ['depends_on of a new monitor', ({ monitors }) => [
      'POST', '/api/monitors', { ...monitor, depends_on: [monitors] },
    ]],
    ['depends_on of a monitor', ({ monitors }) => [
      'PATCH', `/api/monitors/${ours.monitor}`, { depends_on: [monitors] },
    ]],
    [
      'monitoring_regions of a new monitor',
      ({ regions }) => ['POST', '/api/monitors', { ...monitor, monitoring_regions: [regions] }],
    ],
    [
      'monitoring_regions of a monitor',
      ({ regions }) => ['PATCH', `/api/monitors/${ours.monitor}`, { monitoring_regions: [regions] }],
    ],
    [
      'parent_group_id of a new group',
      ({ groups }) => ['POST', '/api/groups', { name: 'Under', parent_group_id: groups }],
    ],
    [
      'parent_group_id of a group',
      ({ groups }) => ['PUT', `/api/groups/${ours.group}`, { parent_group_id: groups }],
    ],
    [
      'target_group_id',
      ({ groups }) => ['POST', `/api/groups/${ours.group}/bulk-move`, { target_group_id: groups }],
    ],
    ['group_id of a bulk move', ({ groups }) => [
      'POST', '/api/monitors/bulk', { action: 'move', monitor_ids: [ours.monitor], group_id: groups },
    ]],
    ['check_id', ({ monitors }) => ['POST', '/api/incidents', { ...incident, check_id: monitors }]],
    [
      'affected_monitor_ids',
      ({ monitors }) => ['POST', '/api/incidents', { ...incident, affected_monitor_ids: [monitors] }],
    ],
    ['assignee_id', ({ members }) => [
      'PUT', `/api/incidents/${ours.incident}/status`, { status: 'acknowledged', assignee_id: members },
    ]],
    [
      'region_id of a new probe',
      ({ regions }) => ['POST', '/api/probes', { region_id: regions, name: 'Mine' }],
    ],
    ['user_id of a project\'s members', ({ members }) => [
      'PUT', `/api/projects/${world.pool.ids('projects')[0]}/members`,
      { members: [{ user_id: members, role: 'admin' }] },
    ]],
    ['project_roles of an invitation', ({ projects }) => [
      'POST', '/api/organization/invitations',
      { email: 'm@example.com', role: 'member', project_roles: { [projects]: 'admin' } },
    ]],
  ])('%s is refused', async (_what, makeCall) => {
    const [method, path, body] = makeCall(world.bystanderIds);
    const response = await call(method, path, body);
    expect([400, 404], JSON.stringify(response.body)).toContain(response.status);
    if (response.status === 400) expect(response.body.error.code).toBe('VALIDATION_ERROR');
    else expect(response.body.error.code).toMatch(/NOT_FOUND$/);
  });

  test.each([
    'pause', 'resume', 'delete', 'tag', 'move',
  ])('monitor_ids of a bulk %s is reported as failed', async (action) => {
    const more = action === 'tag' ? { tags: ['x'] } : action === 'move' ? { group_id: ours.group } : {};
    const response =
      await post('/api/monitors/bulk', { action, monitor_ids: [world.bystanderIds.monitors], ...more });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(response.body.data).toMatchObject({ affected_count: 0, monitor_ids: [] });
    expect(response.body.data.failures).toHaveLength(1);
  });

  test('monitor_ids of a group is refused', async () => {
    const response =
      await post(`/api/groups/${ours.group}/monitors`, { monitor_ids: [world.bystanderIds.monitors] });
    expect([400, 404], JSON.stringify(response.body)).toContain(response.status);
  });
});

test('changes none of their resources and references none of them', async () => {
  expect(await findTraces(world, before)).toEqual([]);
});
