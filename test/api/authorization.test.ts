import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../controller/errors/app-error.ts';
import { eventRoutes } from '../../controller/events/routes.ts';
import type { ApiClient } from '../helpers/api-client.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { newMember, newPerson, newTenant, PASSWORD, type Tenant } from '../helpers/tenants.ts';

/**
 * The access each route requires. A test below fails if a route is missing here or does not exist.
 */
const NEEDS = {
  'GET /.well-known/probes.json': 'public',
  'GET /': 'public',
  'GET /console/assets/:file': 'public',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /api/openapi.json': 'public',
  'GET /api/docs': 'public',
  'GET /api/docs/files/:version/scripts/:file': 'public',
  'GET /api/docs/files/:version/styles/:file': 'public',
  'GET /api/auth/registration': 'public',
  'POST /api/auth/register': 'public',
  'POST /api/auth/login': 'public',
  'POST /api/probes/enrol': 'public',
  'GET /api/bus': 'public',
  'POST /api/auth/verify-email': 'public',
  'POST /api/auth/resend-verification': 'public',
  'POST /api/auth/forgot-password': 'public',
  'POST /api/auth/reset-password': 'public',
  'POST /api/auth/read-invitation': 'public',
  'POST /api/auth/accept-invitation': 'public',
  'GET /verify-email': 'public',
  'POST /verify-email': 'public',
  'GET /reset-password': 'public',
  'POST /reset-password': 'public',
  'GET /acknowledge': 'public',
  'POST /acknowledge': 'public',
  'POST /api/public/incidents/acknowledge': 'public',
  'GET /stop-alerts': 'public',
  'POST /stop-alerts': 'public',
  'POST /resume-alerts': 'public',
  'GET /api/public/status-pages/:subdomain': 'public',
  'GET /status/:subdomain': 'public',
  'GET /status/:subdomain/incidents/:incidentId': 'public',
  'GET /status/:subdomain/components/:componentId': 'public',
  'GET /status/assets/:file': 'public',
  'GET /status/assets/scripts/:file': 'public',
  'GET /status/:subdomain/events': 'public',
  'GET /status/:subdomain/feed.atom': 'public',
  'GET /status/:subdomain/feed.rss': 'public',
  'GET /status/:subdomain/feed.json': 'public',
  'GET /status/:subdomain/style.css': 'public',
  'GET /status/:subdomain/embed': 'public',
  'GET /api/public/status-pages/:subdomain/badge.svg': 'public',
  'GET /api/monitors/:id/badge.svg': 'public',
  'POST /api/public/status-pages/:subdomain/subscribers': 'public',
  'POST /api/public/subscribers/verify': 'public',
  'POST /api/public/subscribers/unsubscribe': 'public',
  'GET /api/public/subscribers/preferences': 'public',
  'PUT /api/public/subscribers/preferences': 'public',
  'PATCH /api/public/subscribers/preferences': 'public',
  'GET /status/:subdomain/subscribe': 'public',
  'POST /status/:subdomain/subscribe': 'public',
  'GET /status/:subdomain/verify': 'public',
  'POST /status/:subdomain/verify': 'public',
  'GET /status/:subdomain/unsubscribe': 'public',
  'POST /status/:subdomain/unsubscribe': 'public',
  'GET /status/:subdomain/preferences': 'public',
  'POST /status/:subdomain/preferences': 'public',
  'GET /api/auth/me': 'session',
  'POST /api/auth/logout': 'session',
  'POST /api/auth/logout-everywhere': 'session',
  'GET /api/auth/sessions': 'session',
  'DELETE /api/auth/sessions/:id': 'session',
  'POST /api/auth/change-password': 'session',
  'POST /api/auth/api-keys': 'organization admin',
  'GET /api/auth/api-keys': 'organization admin',
  'POST /api/auth/api-keys/:id/rotate': 'organization admin',
  'DELETE /api/auth/api-keys/:id': 'organization admin',
  'POST /api/subscriptions': 'organization admin',
  'GET /api/subscriptions': 'organization admin',
  'GET /api/subscriptions/:id': 'organization admin',
  'DELETE /api/subscriptions/:id': 'organization admin',
  'GET /api/audit-log': 'organization admin',
  'GET /api/projects': 'organization viewer or key',
  'GET /api/projects/:id': 'organization viewer or key',
  'POST /api/projects': 'organization admin',
  'PUT /api/projects/:id': 'organization admin',
  'PATCH /api/projects/:id': 'organization admin',
  'DELETE /api/projects/:id': 'organization admin',
  'GET /api/projects/:id/members': 'organization viewer',
  'PUT /api/projects/:id/members': 'organization admin',
  'GET /api/organization': 'organization viewer',
  'PUT /api/organization': 'organization admin',
  'PATCH /api/organization': 'organization admin',
  'GET /api/organization/members': 'organization viewer',
  'PUT /api/organization/members/:userId': 'organization admin',
  'PATCH /api/organization/members/:userId': 'organization admin',
  'DELETE /api/organization/members/:userId': 'organization admin',
  'GET /api/organization/members/:userId/credentials': 'organization admin',
  'GET /api/organization/invitations': 'organization admin',
  'POST /api/organization/invitations': 'organization admin',
  'DELETE /api/organization/invitations/:id': 'organization admin',
  'GET /api/billing': 'organization admin',
  'PUT /api/billing/plan': 'organization owner',
  'PUT /api/organizations/:id/plan': 'operator',
  'GET /api/monitors': 'project viewer or key',
  'GET /api/monitors/stats': 'project viewer or key',
  'GET /api/monitors/overview': 'project viewer or key',
  'GET /api/metrics': 'organization viewer or key',
  'GET /api/monitors/:id': 'project viewer or key',
  'GET /api/monitors/:id/stats': 'project viewer or key',
  'GET /api/monitors/:id/settings': 'project viewer or key',
  'GET /api/monitors/:id/status-history': 'project viewer or key',
  'GET /api/monitors/:id/results': 'project viewer or key',
  'GET /api/monitors/:id/domain': 'project viewer or key',
  'GET /api/monitors/:id/regions': 'project viewer or key',
  'GET /api/monitors/:id/certificate': 'project viewer or key',
  'GET /api/monitors/:id/response-times': 'project viewer or key',
  'GET /api/monitors/:id/evidence': 'project editor or key',
  'GET /api/monitors/:id/pings': 'project viewer or key',
  'POST /api/monitors/:id/check': 'project editor or key',
  'POST /api/monitors/test': 'project editor or key',
  'POST /api/monitors': 'project editor or key',
  'PUT /api/monitors/:id': 'project editor or key',
  'PATCH /api/monitors/:id': 'project editor or key',
  'DELETE /api/monitors/:id': 'project editor or key',
  'POST /api/monitors/:id/pause': 'project editor or key',
  'POST /api/monitors/:id/resume': 'project editor or key',
  'POST /api/monitors/:id/disable': 'project editor or key',
  'POST /api/monitors/bulk': 'project editor or key',
  'GET /api/heartbeat/:token': 'public',
  'GET /api/heartbeat/:token/start': 'public',
  'GET /api/heartbeat/:token/fail': 'public',
  'GET /api/heartbeat/:token/log': 'public',
  'POST /api/heartbeat/:token/log': 'public',
  'GET /api/ping/:ping_key/:slug': 'public',
  'GET /api/ping/:ping_key/:slug/start': 'public',
  'GET /api/ping/:ping_key/:slug/fail': 'public',
  'GET /api/ping/:ping_key/:slug/log': 'public',
  'GET /api/ping/:ping_key/:slug/:code': 'public',
  'POST /api/ping/:ping_key/:slug': 'public',
  'POST /api/ping/:ping_key/:slug/start': 'public',
  'POST /api/ping/:ping_key/:slug/fail': 'public',
  'POST /api/ping/:ping_key/:slug/log': 'public',
  'POST /api/ping/:ping_key/:slug/:code': 'public',
  'GET /api/heartbeat/:token/:code': 'public',
  'POST /api/heartbeat/:token': 'public',
  'POST /api/heartbeat/:token/start': 'public',
  'POST /api/heartbeat/:token/fail': 'public',
  'POST /api/heartbeat/:token/:code': 'public',
  'GET /ping/:token': 'public',
  'POST /api/import/convert': 'project editor or key',
  'GET /ping/:token/start': 'public',
  'GET /ping/:token/fail': 'public',
  'GET /ping/:token/log': 'public',
  'GET /ping/:token/:code': 'public',
  'GET /api/push/:token': 'public',
  'POST /ping/:token': 'public',
  'POST /ping/:token/start': 'public',
  'POST /ping/:token/fail': 'public',
  'POST /ping/:token/log': 'public',
  'POST /ping/:token/:code': 'public',
  'POST /api/push/:token': 'public',
  'POST /api/import': 'project editor or key',
  'GET /api/export': 'project viewer or key',
  'GET /api/groups': 'project viewer or key',
  'POST /api/groups': 'project editor or key',
  'GET /api/groups/hierarchy': 'project viewer or key',
  'GET /api/groups/health-summary': 'project viewer',
  'GET /api/groups/:id': 'project viewer or key',
  'PUT /api/groups/:id': 'project editor or key',
  'PATCH /api/groups/:id': 'project editor or key',
  'DELETE /api/groups/:id': 'project editor or key',
  'GET /api/groups/:id/stats': 'project viewer',
  'POST /api/groups/:id/monitors': 'project editor or key',
  'POST /api/groups/:id/bulk-pause': 'project editor',
  'POST /api/groups/:id/bulk-resume': 'project editor',
  'POST /api/groups/:id/bulk-move': 'project editor',
  'POST /api/groups/:id/bulk-delete': 'project editor',
  'GET /api/incidents/:id/diagnosis': 'project viewer or key',
  'POST /api/monitors/:id/diagnose': 'project editor or key',
  'POST /api/monitors/:id/simulate': 'project viewer or key',
  'GET /api/monitors/:id/changes': 'project viewer or key',
  'POST /api/markers': 'project editor or key',
  'GET /api/causes': 'project viewer or key',
  'GET /api/causes/:id': 'project viewer or key',
  'GET /api/incidents': 'project viewer or key',
  'GET /api/incidents/:id': 'project viewer or key',
  'GET /api/incidents/:id/updates': 'project viewer or key',
  'GET /api/incidents/:id/votes': 'project viewer or key',
  'GET /api/incidents/:id/notifications': 'project viewer',
  'GET /api/events': 'project viewer or key',
  'GET /api/incidents/:id/timeline': 'project viewer or key',
  'GET /api/incidents/:id/evidence': 'project editor or key',
  'POST /api/incidents': 'project editor or key',
  'PUT /api/incidents/:id': 'project editor or key',
  'PATCH /api/incidents/:id': 'project editor or key',
  'PUT /api/incidents/:id/status': 'project editor or key',
  'POST /api/incidents/:id/acknowledge': 'project editor or key',
  'PUT /api/incidents/:id/postmortem': 'project editor or key',
  'GET /api/incidents/:id/comments': 'project viewer',
  'POST /api/incidents/:id/comments': 'project viewer',
  'PATCH /api/incidents/:id/comments/:commentId': 'project viewer',
  'PUT /api/incidents/:id/comments/:commentId': 'project viewer',
  'DELETE /api/incidents/:id/comments/:commentId': 'project viewer',
  'GET /api/integrations': 'project admin',
  'POST /api/integrations': 'project admin',
  'POST /api/integrations/preview': 'project admin',
  'GET /api/integrations/:id': 'project admin',
  'PUT /api/integrations/:id': 'project admin',
  'PATCH /api/integrations/:id': 'project admin',
  'DELETE /api/integrations/:id': 'project admin',
  'GET /api/integrations/:id/deliveries': 'project admin',
  'POST /api/integrations/:id/test': 'project admin',
  'GET /api/integrations/:id/secret': 'project admin',
  'POST /api/integrations/:id/rotate-secret': 'project admin',
  'GET /api/dashboard/overview': 'project viewer',
  'GET /api/regions': 'organization viewer or key',
  'POST /api/regions': 'organization viewer',
  'PUT /api/regions/:id': 'organization viewer',
  'PATCH /api/regions/:id': 'organization viewer',
  'DELETE /api/regions/:id': 'organization viewer',
  'POST /api/regions/:id/enrolment-keys': 'organization viewer',
  'GET /api/regions/:id/enrolment-keys': 'organization viewer',
  'DELETE /api/regions/:id/enrolment-keys/:keyId': 'organization viewer',
  'GET /api/probes': 'organization viewer',
  'POST /api/probes': 'organization viewer',
  'GET /api/probes/:id': 'organization viewer',
  'GET /api/probes/:id/monitors': 'project viewer or key',
  'PUT /api/probes/:id': 'organization viewer',
  'PATCH /api/probes/:id': 'organization viewer',
  'DELETE /api/probes/:id': 'organization viewer',
  'POST /api/probes/:id/rotate-keys': 'organization viewer',
  'GET /api/projects/:projectId/status-pages': 'path viewer',
  'GET /api/projects/:projectId/status-pages/:id': 'path viewer',
  'POST /api/projects/:projectId/status-pages': 'path admin',
  'PUT /api/projects/:projectId/status-pages/:id': 'path admin',
  'PATCH /api/projects/:projectId/status-pages/:id': 'path admin',
  'DELETE /api/projects/:projectId/status-pages/:id': 'path admin',
  'GET /api/projects/:projectId/status-pages/:id/preview': 'path viewer',
  'GET /api/projects/:projectId/status-pages/:id/branding': 'path viewer',
  'PUT /api/projects/:projectId/status-pages/:id/branding': 'path admin',
  'PUT /api/projects/:projectId/status-pages/:id/monitors': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/custom-domain/verify': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/publish': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/unpublish': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/archive': 'path admin',
  'GET /api/projects/:projectId/status-pages/:id/incidents': 'path viewer',
  'GET /api/projects/:projectId/status-pages/:id/incidents/:incidentId': 'path viewer',
  'POST /api/projects/:projectId/status-pages/:id/incidents': 'path admin, hidden',
  'PUT /api/projects/:projectId/status-pages/:id/incidents/:incidentId': 'path admin',
  'PATCH /api/projects/:projectId/status-pages/:id/incidents/:incidentId': 'path admin',
  'DELETE /api/projects/:projectId/status-pages/:id/incidents/:incidentId': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/incidents/:incidentId/updates': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/incidents/:incidentId/resolve': 'path admin',
  'GET /api/projects/:projectId/status-pages/:id/subscribers': 'path viewer',
  'GET /api/projects/:projectId/status-pages/:id/subscribers/export': 'path admin',
  'GET /api/projects/:projectId/status-pages/:id/subscribers/:subscriberId': 'path viewer',
  'PUT /api/projects/:projectId/status-pages/:id/subscribers/:subscriberId': 'path admin',
  'PATCH /api/projects/:projectId/status-pages/:id/subscribers/:subscriberId': 'path admin',
  'DELETE /api/projects/:projectId/status-pages/:id/subscribers/:subscriberId': 'path admin',
  'POST /api/projects/:projectId/status-pages/:id/subscribers/bulk-delete': 'path admin',
  'GET /api/projects/:projectId/variables': 'path viewer',
  'POST /api/projects/:projectId/variables': 'path editor',
  'PUT /api/projects/:projectId/variables/:id': 'path editor',
  'PATCH /api/projects/:projectId/variables/:id': 'path editor',
  'DELETE /api/projects/:projectId/variables/:id': 'path editor',
  'GET /api/projects/:projectId/ping-key': 'path editor',
  'POST /api/projects/:projectId/ping-key/rotate': 'path editor',
  'GET /api/projects/:projectId/maintenance-windows': 'path viewer',
  'GET /api/projects/:projectId/maintenance-windows/:id': 'path viewer',
  'GET /api/projects/:projectId/maintenance-windows/occurrences': 'path viewer',
  'POST /api/projects/:projectId/maintenance-windows/preview': 'path editor',
  'POST /api/projects/:projectId/maintenance-windows': 'path editor',
  'PUT /api/projects/:projectId/maintenance-windows/:id': 'path editor',
  'PATCH /api/projects/:projectId/maintenance-windows/:id': 'path editor',
  'DELETE /api/projects/:projectId/maintenance-windows/:id': 'path editor',
  'POST /api/projects/:projectId/status-pages/:id/subscribers/bulk-notify': 'path admin',
} as const;

type Need = (typeof NEEDS)[keyof typeof NEEDS];

const CALLERS = [
  'anonymous', 'empty key', 'bad key', 'bad token', 'bad token, good key', 'expired token', 'read key',
  'write key', 'owner', 'admin', 'member', 'viewer', 'unverified', 'outsider', 'homeless', 'foreign key',
] as const;
type Caller = (typeof CALLERS)[number];
/** From the least to the most powerful. */
const RANKS: readonly Caller[] = ['viewer', 'member', 'admin'];
/**
 * How a credential is judged depends on what a route requires, not on the route. So `npm test` sends all callers only
 * to the first route of each requirement, and these to the others: each differs from another in what it may use. Of
 * RANKS, it sends the last one that is refused and the first one that is not.
 */
const FEW_CALLERS: readonly Caller[] = ['anonymous', 'read key', 'write key', 'outsider', 'foreign key'];
const FEW_PUBLIC_CALLERS: readonly Caller[] = ['anonymous', 'bad token'];

function callersOf(name: string, need: Need, method: string): readonly Caller[] {
  const isFirst = Object.entries(NEEDS).find(([, other]) => other === need)?.[0] === name;
  if (isFirst) return CALLERS;
  const refused = RANKS.filter((caller) => refusal(need, method, caller) !== null).length;
  const few = [...FEW_CALLERS, ...RANKS.slice(Math.max(0, refused - 1), refused + 1)];
  return fewOrAll(need === 'public' ? FEW_PUBLIC_CALLERS : few, CALLERS);
}

/** The error code for a caller without access; null for one with access. */
function refusal(need: Need, method: string, caller: Caller): ErrorCode | null {
  if (need === 'public') return null;
  if (need.startsWith('path ')) return pathRefusal(need, method, caller);
  if (caller === 'anonymous') return 'MISSING_AUTH';
  if (caller === 'empty key') return 'MISSING_API_KEY';
  if (caller === 'bad key') return 'INVALID_API_KEY';
  if (caller === 'bad token' || caller === 'bad token, good key') return 'INVALID_TOKEN';
  if (caller === 'expired token') return 'TOKEN_EXPIRED';
  if (caller === 'unverified') return need === 'session' ? null : 'EMAIL_NOT_VERIFIED';
  if (caller.endsWith('key')) {
    if (!need.endsWith('or key')) return 'JWT_REQUIRED';
    if (caller === 'read key' && method !== 'GET') return 'READ_ONLY_API_KEY';
    if (caller === 'foreign key' && need.startsWith('project')) return 'PROJECT_ORGANIZATION_MISMATCH';
    return caller === 'read key' && need.includes(' editor') ? 'INSUFFICIENT_PERMISSIONS' : null;
  }
  if (need === 'session') return null;
  // The first account of the installation is its operator.
  if (need === 'operator') return caller === 'owner' ? null : 'INSUFFICIENT_PERMISSIONS';
  if (caller === 'outsider') return 'ORGANIZATION_MISMATCH';
  if (caller === 'homeless') return 'ORGANIZATION_NOT_FOUND';
  const isEnough =
    caller === 'owner' || (caller === 'admin' && !need.includes(' owner')) || need.includes(' viewer') ||
      (caller === 'member' && need.includes(' editor'));
  return isEnough ? null : 'INSUFFICIENT_PERMISSIONS';
}

/** As `refusal`, for routes under a project in their path. */
function pathRefusal(need: Need, method: string, caller: Caller): ErrorCode | null {
  if (/^(anonymous|empty|bad|expired)/.test(caller)) return 'AUTHENTICATION_REQUIRED';
  if (caller === 'unverified') return 'EMAIL_NOT_VERIFIED';
  if (caller === 'read key' && method !== 'GET') return 'READ_ONLY_API_KEY';
  if (caller === 'foreign key') return 'API_KEY_ORGANIZATION_MISMATCH';
  if (caller === 'outsider' || caller === 'homeless') return 'ACCESS_DENIED';
  const isEnough = need.includes(' viewer') || ['owner', 'admin', 'write key'].includes(caller)
    || (caller === 'member' && need.includes(' editor'));
  if (isEnough) return null;
  return need.endsWith('hidden') ? 'AUTHENTICATION_REQUIRED' : 'INSUFFICIENT_PERMISSIONS';
}

/** The owner's session, ended a minute ago. */
async function expiredToken(app: TestApp, tenant: Tenant): Promise<string> {
  const { sid } = decodeJwt(tenant.owner.token) as { sid: string };
  const ended = Date.now() - 60_000;
  return app.accounts.deps.tokens.sign(
    { userId: tenant.owner.userId, secret: sid }, ended - 60_000, ended,
  );
}

/** A user whose only membership has ended. */
async function withoutOrganization(app: TestApp): Promise<ApiClient> {
  const { person } = await newPerson(app, 'Homeless');
  const { members } = app.accounts.deps;
  for (const membership of await members.listOfUser(person.userId)) await members.delete(membership._id);
  return person.client;
}

describe('every route and every caller', () => {
  let app: TestApp;
  let tenant: Tenant;
  let callers: Record<Caller, ApiClient>;
  beforeAll(async () => {
    // Streams do not end, so only the steps before their handler are tested.
    app = await makeApp({ routes: () => eventRoutes({} as never) });
    tenant = await newTenant(app);
    const foreign = await newTenant(app);
    const unverified = await app.client.post(
      '/api/auth/register', { email: 'unverified@example.com', password: PASSWORD, name: 'U' },
    );
    const own = { 'x-organization-id': tenant.organizationId };
    callers = {
      anonymous: app.client,
      'empty key': app.client.with({ 'x-api-key': ' ' }),
      'bad key': app.client.with({ 'x-api-key': `fw_${'0'.repeat(64)}` }),
      'bad token': app.client.with({ authorization: 'Bearer a.b.c' }),
      'bad token, good key': tenant.writeKey.with({ authorization: 'Bearer a.b.c' }),
      'expired token': app.client.with({ authorization: `Bearer ${await expiredToken(app, tenant)}` }),
      'read key': tenant.readKey,
      'write key': tenant.writeKey,
      owner: tenant.owner.client,
      admin: (await newMember(app, tenant, 'admin')).client,
      member: (await newMember(app, tenant, 'member')).client,
      viewer: (await newMember(app, tenant, 'viewer')).client,
      unverified: app.client.with({ authorization: `Bearer ${unverified.data.token}` }),
      outsider: foreign.owner.client.with(own),
      homeless: await withoutOrganization(app),
      'foreign key': foreign.writeKey.with({ 'x-project-id': tenant.projectId }),
    };
  });
  afterAll(() => app.close());

  test('appear in the table', () => {
    expect(app.routes.map((route) => `${route.method} ${route.path}`).sort()).toEqual(
      Object.keys(NEEDS).sort(),
    );
  });

  test.each(Object.entries(NEEDS))('%s is for: %s', async (name, need) => {
    const [method = '', declared = ''] = name.split(' ');
    // The parameter is rejected only after the permission check, so the sessions remain for later rows.
    const rest = declared.includes('/logout') ? '?unknown=1' : '';
    const path = declared.replace(':projectId', tenant.projectId).replace(/:\w+/g, () => randomUUID()) + rest;
    const headers: Record<string, string> = need.startsWith('path ') ? { 'x-project-id': tenant.projectId } : {};
    for (const caller of callersOf(name, need, method)) {
      const body = method === 'GET' ? {} : { body: { unknown_field: 1 } };
      const response = await callers[caller].send(method, path, { headers, ...body });
      const expected = refusal(need, method, caller);
      if (expected === null) expect([401, 403], `${caller}: ${response.text}`).not.toContain(response.status);
      else expect(response.code, `${caller}: ${response.text}`).toBe(expected);
    }
  });
});

describe('the project of a request', () => {
  let app: TestApp;
  let tenant: Tenant;
  let other: Tenant;
  let second: string;
  beforeAll(async () => {
    app = await makeApp();
    [tenant, other] = [await newTenant(app), await newTenant(app)];
    second = (await tenant.owner.client.post('/api/projects', { name: 'Second' })).data.project.id;
  });
  afterAll(() => app.close());

  test('is chosen by a header with a project id of the caller\'s organization', async () => {
    for (const client of [tenant.readKey, tenant.owner.client]) {
      const code = async (id: string) =>
        (await client.get('/api/monitors', { headers: { 'x-project-id': id } })).code ?? 'in';
      expect(await code('x')).toBe('INVALID_PROJECT_ID');
      expect(await code('')).toBe('INVALID_PROJECT_ID');
      expect(await code(randomUUID())).toBe('PROJECT_NOT_FOUND');
      expect(await code(other.projectId)).toBe('PROJECT_ORGANIZATION_MISMATCH');
      expect(await code(second)).toBe('in');
      expect(await code(second.toUpperCase())).toBe('in');
    }
    expect((await tenant.owner.client.get('/api/projects', { headers: { 'x-project-id': 'x' } })).code).toBe(
      'INVALID_PROJECT_ID',
    );
  });

  test('is checked after the credential, so unknown callers learn nothing about projects', async () => {
    expect((await app.client.get('/api/monitors', { headers: { 'x-project-id': 'x' } })).code).toBe(
      'MISSING_AUTH',
    );
    const write =
      await tenant.readKey.post('/api/monitors', {}, { headers: { 'x-project-id': randomUUID() } });
    expect(write.code).toBe('READ_ONLY_API_KEY');
  });

  test('separates its data from other projects', async () => {
    const headers = { 'x-project-id': second };
    const monitor = { name: 'Second', type: 'HTTP', target: 'https://second.example/', interval_seconds: 60 };
    const { data } = await tenant.writeKey.post('/api/monitors', monitor, { headers });
    const path = `/api/monitors/${data.monitor.id}`;
    expect((await tenant.readKey.get(path)).code).toBe('MONITOR_NOT_FOUND');
    expect((await tenant.readKey.get(path, { headers })).status).toBe(200);
    expect((await tenant.readKey.get('/api/monitors')).data.monitors).toEqual([]);
    expect((await tenant.readKey.get('/api/monitors', { headers })).data.monitors).toHaveLength(1);
  });

  test('is closed to a member without a role in it, and open as far as the role allows', async () => {
    const headers = { 'x-project-id': second };
    const monitor = { name: 'Mine', type: 'HTTP', target: 'https://mine.example/', interval_seconds: 60 };
    const plain = await newMember(app, tenant, 'member');
    expect((await plain.client.get('/api/monitors', { headers })).code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await plain.client.get('/api/projects')).data.projects).toHaveLength(1);
    expect((await plain.client.get(`/api/projects/${second}`)).code).toBe('PROJECT_NOT_FOUND');
    const viewer = await newMember(app, tenant, 'member', { [second]: 'viewer' });
    expect((await viewer.client.get('/api/monitors', { headers })).status).toBe(200);
    expect((await viewer.client.post('/api/monitors', monitor, { headers })).code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
    const editor =
      await newMember(app, tenant, 'member', { [second]: 'editor', [tenant.projectId]: 'viewer' });
    expect((await editor.client.post('/api/monitors', monitor, { headers })).status).toBe(201);
    expect((await editor.client.post('/api/monitors', monitor)).code).toBe('INSUFFICIENT_PERMISSIONS');
  });

  const pages = (id: string) => `/api/projects/${id}/status-pages`;

  test('in the path must be repeated by the header where the API says so', async () => {
    const code = async (client: ApiClient, id: string, header?: string) => (await client.get(
      pages(id), { headers: header === undefined ? {} : { 'x-project-id': header } },
    )).code ?? 'in';
    for (const client of [tenant.readKey, tenant.owner.client]) {
      expect(await code(client, second)).toBe('PROJECT_ID_REQUIRED');
      expect(await code(client, second, 'x')).toBe('INVALID_PROJECT_ID');
      expect(await code(client, second, tenant.projectId)).toBe('INVALID_PROJECT_ID');
      expect(await code(client, 'x', second)).toBe('INVALID_PROJECT_ID');
      expect(await code(client, second, second.toUpperCase())).toBe('in');
      const unknown = randomUUID();
      expect(await code(client, unknown, unknown)).toBe('PROJECT_NOT_FOUND');
    }
    const { projectId } = other;
    expect(await code(tenant.readKey, projectId, projectId)).toBe('API_KEY_ORGANIZATION_MISMATCH');
    expect(await code(tenant.owner.client, projectId, projectId)).toBe('ACCESS_DENIED');
  });

  test('in the path is open to the roles that a member has in it', async () => {
    const body = { name: 'P', subdomain: 'members-page' };
    const plain = await newMember(app, tenant, 'member');
    expect((await plain.client.post(pages(second), body)).code).toBe('ACCESS_DENIED');
    const editor = await newMember(app, tenant, 'member', { [second]: 'editor' });
    expect((await editor.client.post(pages(second), body)).code).toBe('INSUFFICIENT_PERMISSIONS');
    const admin = await newMember(app, tenant, 'member', { [second]: 'admin' });
    expect((await admin.client.post(pages(second), body)).status).toBe(201);
  });
});

describe('the organization of a session', () => {
  test('is the first one, or the one in the header', async () => {
    const app = await makeApp();
    const [tenant, other] = [await newTenant(app), await newTenant(app)];
    const { person, registration } = await newPerson(app, 'Both');
    const { members } = app.accounts.deps;
    await members.insert({
      _id: randomUUID(), organization_id: tenant.organizationId, user_id: person.userId, role: 'viewer',
      project_roles: {}, created_at: Date.now() + 1,
    });
    const projects = async (headers: Record<string, string> = {}) => {
      const response = await person.client.get('/api/projects', { headers });
      return response.code ??
        response.data.projects.map((project: { organization_id: string }) => project.organization_id);
    };
    expect(await projects()).toEqual([registration.organization.id]);
    expect(await projects({ 'x-organization-id': tenant.organizationId })).toEqual([tenant.organizationId]);
    expect(await projects({ 'x-organization-id': other.organizationId })).toBe('ORGANIZATION_MISMATCH');
    expect(await projects({ 'x-organization-id': randomUUID() })).toBe('ORGANIZATION_NOT_FOUND');
    expect(await projects({ 'x-organization-id': 'x' })).toBe('ORGANIZATION_NOT_FOUND');
    const crossed =
      await person.client.get('/api/monitors', { headers: { 'x-project-id': tenant.projectId } });
    expect(crossed.code).toBe('PROJECT_ORGANIZATION_MISMATCH');
    const both = { 'x-project-id': tenant.projectId, 'x-organization-id': tenant.organizationId };
    expect((await person.client.get('/api/monitors', { headers: both })).status).toBe(200);
    expect((await tenant.readKey.get(
      '/api/projects', { headers: { 'x-organization-id': other.organizationId } },
    )).data.projects[0].organization_id)
      .toBe(tenant.organizationId);
    await app.close();
  });
});
