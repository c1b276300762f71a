import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse, ApiClient, Loose } from '../helpers/api-client.ts';
import { incidentBody, makeIncidentApp, type IncidentApp } from '../helpers/incident-app.ts';
import { newMember, newTenant, type Person, type Tenant } from '../helpers/tenants.ts';

const MINUTE_MS = 60_000;

let rig: IncidentApp;
let tenant: Tenant;
let teammate: Person;
let incidentId: string;
let author: ApiClient;

beforeAll(async () => {
  rig = await makeIncidentApp();
  tenant = await newTenant(rig.app);
  teammate = await newMember(rig.app, tenant, 'viewer');
  author = tenant.owner.client;
});
beforeEach(async () => {
  incidentId = (await tenant.writeKey.post('/api/incidents', incidentBody())).data.incident.id;
});
afterAll(() => rig.app.close());

const base = (): string => `/api/incidents/${incidentId}/comments`;
const postComment = async (text = 'Looking', client = author): Promise<string> =>
  (await client.post(base(), { comment_text: text })).data.comment.id;
const list = async (client = author): Promise<Loose[]> => (await client.get(base())).data.comments;
const why = (response: ApiResponse): unknown[] => [response.status, response.code, response.error.message];

describe('a comment', () => {
  test('is stored with its author', async () => {
    const response = await author.post(base(), { comment_text: 'Looking', is_internal: true });
    const now = new Date(rig.clock.now()).toISOString();
    expect(response.status).toBe(201);
    expect(response.data.comment).toEqual({
      id: expect.any(String) as string, incident_id: incidentId, user_id: tenant.owner.userId,
      user_email: tenant.owner.email, user_name: 'Owner',
      comment_text: 'Looking', is_internal: true, created_at: now, updated_at: now, deleted_at: null,
    });
    expect((await author.post(base(), { comment_text: 'x'.repeat(5000) })).data.comment.is_internal).toBe(
      false,
    );
  });

  test('is listed, oldest first, with the caller\'s permissions', async () => {
    await postComment('one');
    await rig.clock.advance(1000);
    await postComment('two', teammate.client);
    expect((await list()).map(
      ({ comment_text, can_edit, can_delete }: Loose) => [comment_text, can_edit, can_delete],
    ))
      .toEqual([['one', true, true], ['two', false, false]]);
    expect((await list(teammate.client)).map(({ can_edit }: Loose) => can_edit)).toEqual([false, true]);
    await rig.clock.advance(15 * MINUTE_MS);
    expect(
      (await list(teammate.client)).map(({ can_edit, can_delete }: Loose) => can_edit || can_delete),
    ).toEqual([false, true]);
    await rig.clock.advance(1);
    expect(
      (await list(teammate.client)).map(({ can_edit, can_delete }: Loose) => can_edit || can_delete),
    ).toEqual([false, false]);
  });

  test('is edited by its author', async () => {
    const id = await postComment();
    await rig.clock.advance(15 * MINUTE_MS);
    const { comment } = (await author.patch(`${base()}/${id}`, { comment_text: 'Found it' })).data;
    expect(comment).toMatchObject({
      id, comment_text: 'Found it', is_internal: false, updated_at: new Date(rig.clock.now()).toISOString(),
    });
    expect(comment).not.toHaveProperty('can_edit');
    expect((await author.patch(
      `${base()}/${id}`, { ...(await list())[0], is_internal: true },
    )).data.comment.is_internal)
      .toBe(true);
    expect((await author.put(`${base()}/${id}`, { comment_text: 'Fixed it' })).data.comment).toMatchObject({
      comment_text: 'Fixed it', is_internal: true,
    });
  });

  test('is deleted by its author and stays in the list without its text', async () => {
    const id = await postComment('A secret that slipped out');
    expect((await author.delete(`${base()}/${id}`)).data).toEqual({ success: true });
    expect(await list()).toMatchObject([{
      id, comment_text: '', deleted_at: new Date(rig.clock.now()).toISOString(), can_edit: false,
      can_delete: false,
    }]);
    const stored =
      await rig.app.db.collection('incident_comments').find({ incident_id: incidentId }).toArray();
    expect(JSON.stringify(stored)).not.toContain('slipped');
    expect(why(await author.patch(`${base()}/${id}`, { comment_text: 'x' }))).toEqual([
      400, 'VALIDATION_ERROR', 'Cannot update a deleted comment',
    ]);
    expect(why(await author.delete(`${base()}/${id}`))).toEqual([
      400, 'VALIDATION_ERROR', 'Comment already deleted',
    ]);
  });

  test('is deleted once by concurrent requests', async () => {
    const id = await postComment();
    const responses = await Promise.all(Array.from({ length: 10 }, () => author.delete(`${base()}/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([
      200, ...Array.from({ length: 9 }, () => 400),
    ]);
  });
});

describe('nobody', () => {
  test('changes another person\'s comment', async () => {
    const id = await postComment();
    expect(why(await teammate.client.patch(`${base()}/${id}`, { comment_text: 'x' }))).toEqual([
      403, 'FORBIDDEN', 'You can only edit your own comments',
    ]);
    expect(why(await teammate.client.delete(`${base()}/${id}`))).toEqual([
      403, 'FORBIDDEN', 'You can only delete your own comments',
    ]);
    expect((await list())[0]).toMatchObject({ comment_text: 'Looking', deleted_at: null });
  });

  test('changes a comment after 15 minutes', async () => {
    const id = await postComment();
    await rig.clock.advance(15 * MINUTE_MS + 1);
    expect(why(await author.patch(`${base()}/${id}`, { comment_text: 'x' }))).toEqual([
      400, 'VALIDATION_ERROR', 'You cannot edit this comment after 15 minutes',
    ]);
    expect(why(await author.delete(`${base()}/${id}`))).toEqual([
      400, 'VALIDATION_ERROR', 'You cannot delete this comment after 15 minutes',
    ]);
  });

  test('comments with a key, whether the incident exists or not', async () => {
    const id = await postComment();
    for (const key of [tenant.readKey, tenant.writeKey]) {
      for (const path of [base(), `/api/incidents/${randomUUID()}/comments`]) {
        expect((await key.get(path)).code).toBe('JWT_REQUIRED');
        expect((await key.post(path, { comment_text: 'x' })).code).toBe('JWT_REQUIRED');
        expect((await key.patch(`${path}/${id}`, { comment_text: 'x' })).code).toBe('JWT_REQUIRED');
        expect((await key.delete(`${path}/${id}`)).code).toBe('JWT_REQUIRED');
      }
    }
  });

  test('reaches comments of another tenant or through another incident', async () => {
    const id = await postComment();
    const outsider = (await newTenant(rig.app)).owner.client;
    const ownIncident = (await outsider.post('/api/incidents', incidentBody())).data.incident.id;
    const elsewhere = (await author.post('/api/incidents', incidentBody())).data.incident.id;
    for (const [client, path] of [
      [outsider, base()], [outsider, `/api/incidents/${ownIncident}/comments`],
      [author, `/api/incidents/${elsewhere}/comments`],
    ] as const) {
      expect((await client.patch(`${path}/${id}`, { comment_text: 'x' })).code).toBe('RESOURCE_NOT_FOUND');
      expect((await client.delete(`${path}/${id}`)).code).toBe('RESOURCE_NOT_FOUND');
    }
    expect((await outsider.get(base())).error.message).toBe('Incident not found');
    expect((await outsider.post(base(), { comment_text: 'x' })).code).toBe('RESOURCE_NOT_FOUND');
    expect((await author.delete(`${base()}/${randomUUID()}`)).error).toMatchObject({
      message: 'Comment not found', details: { resourceType: 'Comment' },
    });
    expect(await list()).toHaveLength(1);
  });
});

test.each([
  {}, { comment_text: '' }, { comment_text: 'x'.repeat(5001) }, { comment_text: 1 },
  { comment_text: 'x', is_internal: 'yes' }, { comment_text: 'x', extra: 1 },
])('refuses %j', async (body) => {
  expect((await author.post(base(), body)).code).toBe('VALIDATION_ERROR');
  expect((await author.patch(`${base()}/${await postComment()}`, body)).code).toBe('VALIDATION_ERROR');
  expect((await author.patch(`${base()}/nonsense`, { comment_text: 'x' })).code).toBe('VALIDATION_ERROR');
});
