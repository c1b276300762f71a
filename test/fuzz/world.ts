import { rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { MongoClient, type Db } from 'mongodb';
import { pino } from 'pino';
import type { CauseDoc } from '../../controller/causes/cause.ts';
import { newId } from '../../shared/ids.ts';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { bundleFile } from '../bundle.mjs';
import { ApiSession } from '../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { pageSubscriber, SUBSCRIBERS } from '../helpers/page-subscriber.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { SHARES, type Caller } from './callers.ts';
import { Pool } from './pool.ts';

/** Part of every text of the bystander, which no one else may ever see. */
export const CANARY = 'bystander-canary';

export interface World {
  rig: ControllerRig;
  db: Db;
  sink: Receiver;
  pool: Pool;
  callers: Record<Caller['name'], Caller>;
  /** Ids of the bystander, an organization that sends nothing. */
  foreign: string[];
  bystanderIds: BystanderIds;
  /** Of the organization that requests act in. */
  ownProject: string;
  bystander: string;
  /** An account that can sign in. */
  account: { email: string; password: string };
  secrets: Set<string>;
  /** Lines of the controller's log. */
  lines: string[];
  /** Gives a caller a new session once its own has ended. */
  renew(caller: Caller): Promise<void>;
  stop(): Promise<void>;
}

interface Account {
  email: string;
  userId: string;
  organizationId: string;
  projectId: string;
  session: ApiSession;
  token: string;
}

interface Registered {
  token: string;
  user: { id: string };
  organization: { id: string };
  project: { id: string };
}

const PASSWORD = 'correct horse battery staple';

/**
 * A whole controller with three organizations: requests act in one, another intrudes, and the third is a
 * bystander.
 */
export async function openWorld(): Promise<World> {
  const lines: string[] = [];
  const log = pino(
    { level: 'info' },
    new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) }),
  );
  const sink = await startReceiver();
  const converterBundle = await bundleFile('controller/moving/convert-worker.ts');
  const rig = await startControllerRig(
    { REGISTRATION: 'open', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000000' }, undefined, log,
    { converterBundle },
  );
  const client = await MongoClient.connect(rig.store.url);
  const db = client.db();
  const people = await registerAll(rig.controller.url, db);
  const pool = new Pool();
  for (const one of [people.owner, people.admin, people.member, people.viewer]) pool.protect(one.userId);
  pool.add('projects', people.owner.projectId);
  const keys = {
    read: await key(people.owner, 'read'), write: await key(people.owner, 'read_write'),
    outsider: await key(people.outsider, 'read_write'),
  };
  pool.protect(keys.read.id);
  pool.protect(keys.write.id);
  const callers = callersOf(people, keys);
  const bystanderIds = await createResources(people.bystander, db);
  await addPages(people.owner, pool, db);
  return {
    rig, db, sink, pool, callers, lines,
    account: { email: people.unverified.email, password: PASSWORD },
    bystanderIds, ownProject: people.owner.projectId,
    foreign: [...Object.values(bystanderIds), people.bystander.projectId],
    bystander: people.bystander.organizationId,
    secrets: new Set([
      PASSWORD, ...Object.values(keys).map((one) => one.key),
      ...Object.values(people).map((one) => one.token),
    ]),
    renew: (caller) => renew(callers, people, caller),
    stop: async () => {
      await client.close();
      await rig.stop();
      rmSync(converterBundle);
      await sink.close();
    },
  };
}

const NAMES = ['owner', 'admin', 'member', 'viewer', 'unverified', 'outsider', 'bystander', 'spare'] as const;
type People = Record<(typeof NAMES)[number], Account>;
type Keys = Record<'read' | 'write' | 'outsider', { id: string; key: string }>;

/**
 * Registers all users. Admin, member, viewer and a removable one then belong to the owner's organization
 * only.
 */
async function registerAll(url: string, db: Db): Promise<People> {
  const people = {} as People;
  for (const name of NAMES) people[name] = await register(url, db, name, name !== 'unverified');
  const roles: [keyof People, string][] =
    [['admin', 'admin'], ['member', 'member'], ['viewer', 'viewer'], ['spare', 'member']];
  for (const [name, role] of roles) {
    await db.collection('members').updateMany(
      { user_id: people[name].userId }, { $set: { organization_id: people.owner.organizationId, role } },
    );
  }
  return people;
}

const bearer = ({ token }: Account) => ({ authorization: `Bearer ${token}` });

function callersOf(people: People, keys: Keys): Record<Caller['name'], Caller> {
  const { owner, admin, member, viewer, unverified, outsider } = people;
  const inside = { 'x-project-id': owner.projectId, 'x-organization-id': owner.organizationId };
  const credentials: Record<Caller['name'], Record<string, string>> = {
    anonymous: {}, 'bad key': { 'x-api-key': `fw_${'0'.repeat(64)}` }, 'bad token': {
      authorization: 'Bearer a.b.c',
    }, 'read key': { 'x-api-key': keys.read.key }, 'write key': { 'x-api-key': keys.write.key },
    owner: bearer(
      owner,
    ), admin: bearer(admin), member: bearer(member), viewer: bearer(viewer), unverified: bearer(unverified),
    outsider: bearer(outsider), 'outsider key': { 'x-api-key': keys.outsider.key },
    intruder: { ...bearer(outsider), ...inside },
  };
  const names = Object.keys(SHARES) as Caller['name'][];
  const entries = names.map((name) => [name, {
    name, headers: credentials[name], isKnown: !/^(anonymous|bad)/.test(name),
    isInside: !/^(anonymous|bad|outsider|intruder)/.test(name),
  }]);
  return Object.fromEntries(entries) as Record<Caller['name'], Caller>;
}

/** The outsider and the intruder share a session, so both get the new one. */
async function renew(
  callers: Record<Caller['name'], Caller>, people: People, { name }: Caller,
): Promise<void> {
  const one = people[(name === 'intruder' ? 'outsider' : name) as keyof People];
  if (one === undefined) return;
  one.token = (await one.session.ok<{ token: string }>(
    'POST', '/api/auth/login', { email: one.email, password: PASSWORD },
  )).token;
  for (const other of name === 'intruder' || name === 'outsider'
    ? (['intruder', 'outsider'] as const)
    : [name]) {
    callers[other].headers = { ...callers[other].headers, ...bearer(one) };
  }
}

async function register(url: string, db: Db, name: string, isVerified: boolean): Promise<Account> {
  const email = `${name === 'bystander' ? CANARY : name}@example.com`;
  const session = new ApiSession(url);
  const { token, user, organization, project } = await session.ok<Registered>(
    'POST', '/api/auth/register', { email, password: PASSWORD, name, organization_name: name },
  );
  await db.collection<{ _id: string }>('users').updateOne(
    { _id: user.id }, { $set: { email_verified: isVerified } },
  );
  return {
    email, userId: user.id, organizationId: organization.id, projectId: project.id,
    session: session.as(token), token,
  };
}

function key({ session }: Account, scope: string): Promise<{ id: string; key: string }> {
  return session.ok('POST', '/api/auth/api-keys', { name: 'fuzz', scope });
}

/** Published pages with a monitor and a post: random requests rarely attach a monitor and then name it. */
async function addPages(
  { session, organizationId, projectId }: Account, pool: Pool, db: Db,
): Promise<void> {
  const pages = `/api/projects/${projectId}/status-pages`;
  const { monitor: { id: monitor_id } } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
    name: 'On pages', type: 'HTTP', target: 'https://page.example/', interval_seconds: 300,
  });
  pool.add('attached', monitor_id);
  for (const subdomain of ['fuzzed-one', 'fuzzed-two', 'fuzzed-three']) {
    const { status_page: { id } } = await session.ok<{ status_page: { id: string } }>(
      'POST', pages, { name: 'Page', subdomain },
    );
    await session.ok('PUT', `${pages}/${id}/monitors`, { monitors: [{ monitor_id }] });
    const { incident } = await session.ok<{ incident: { id: string } }>('POST', `${pages}/${id}/incidents`, {
      title: 'Post', message: 'Post', severity: 'minor', affected_monitor_ids: [monitor_id],
    });
    await session.ok('POST', `${pages}/${id}/publish`);
    const { maintenance_window } = await session.ok<{ maintenance_window: { id: string } }>(
      'POST', `/api/projects/${projectId}/maintenance-windows`, {
        title: 'Move', starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-01T01:00:00Z',
      },
    );
    pool.add('maintenance-windows', maintenance_window.id, { projectId });
    const { variable } = await session.ok<{ variable: { id: string } }>(
      'POST', `/api/projects/${projectId}/variables`, { name: subdomain.replace('-', '_'), value: 'x', is_secret: true },
    );
    pool.add('variables', variable.id, { projectId });
    pool.add('subdomains', subdomain);
    pool.add('status-pages', id, { projectId });
    pool.add('posts', incident.id, { projectId, id });
    const subscriber = pageSubscriber({ organizationId, projectId, pageId: id }, 'fuzzed@example.com');
    await db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(subscriber);
    pool.add('subscribers', subscriber._id, { projectId, id });
  }
}

/** One id of each resource type of the bystander. */
export type BystanderIds = Record<'organizations' | 'groups' | 'monitors' | 'incidents' | 'causes' | 'comments' | 'integrations' | 'projects' | 'members' | 'invitations' | 'api-keys' | 'sessions' | 'regions' | 'enrolment-keys' | 'probes' | 'subscriptions' | 'status-pages' | 'subscribers' | 'maintenance-windows' | 'variables', string>;

/** Creates one of everything for the bystander. */
async function createResources(
  { session, userId, organizationId, projectId }: Account, db: Db,
): Promise<BystanderIds> {
  const name = CANARY;
  const make = async (path: string, body: object, field?: string) => {
    const data = await session.ok<Record<string, { id: string }> & { id: string }>('POST', path, body);
    return field === undefined ? data.id : (data[field] as { id: string }).id;
  };
  const groups = await make('/api/groups', { name });
  const monitors = await make(
    '/api/monitors',
    { name, type: 'HTTP', target: `https://${CANARY}.example/`, interval_seconds: 300, group_id: groups },
    'monitor',
  );
  await make(
    '/api/monitors', { name, type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 3600 }, 'monitor',
  );
  const incidents = await make(
    '/api/incidents', { severity: 'major', type: 'timeout', error_message: name, title: name }, 'incident',
  );
  const regions = await make(
    '/api/regions', { id: 'zz9-region-of-theirs', name, city: 'Berlin', country: 'DE', lat: 52, lon: 13 },
    'region',
  );
  const pageId = await make(
    `/api/projects/${projectId}/status-pages`, { name, subdomain: CANARY }, 'status_page',
  );
  const subscriber = pageSubscriber({ organizationId, projectId, pageId }, `${CANARY}-3@example.com`);
  await db.collection<SubscriberDoc>(SUBSCRIBERS).insertOne(subscriber);
  const causes = newId(Date.now());
  await db.collection<CauseDoc>('causes').insertOne({
    _id: causes, organization_id: organizationId, project_ids: [projectId], kind: 'address', value: '192.0.2.7',
    monitors_having: 3, started_at: 1, ended_at: null,
  });
  return {
    groups, monitors, incidents, causes, regions, members: userId, organizations: organizationId,
    comments: await make(`/api/incidents/${incidents}/comments`, { comment_text: name }, 'comment'),
    integrations: await make(
      '/api/integrations', { name, type: 'email', config: { to: [`${CANARY}@example.com`] } }, 'integration',
    ),
    projects: await make('/api/projects', { name }, 'project'),
    invitations: await make(
      '/api/organization/invitations', { email: `${CANARY}-2@example.com`, role: 'viewer' }, 'invitation',
    ),
    'api-keys': (await session.ok<{ id: string }>('POST', '/api/auth/api-keys', { name })).id,
    sessions: (await session.ok<{ sessions: [{ id: string }] }>('GET', '/api/auth/sessions')).sessions[0].id,
    'enrolment-keys': await make(`/api/regions/${regions}/enrolment-keys`, { name }, 'enrolment_key'),
    probes: await make('/api/probes', { region_id: regions, name }, 'probe'),
    subscriptions: await make('/api/subscriptions', { name }, 'subscription'),
    'status-pages': pageId, subscribers: subscriber._id,
    variables: await make(`/api/projects/${projectId}/variables`, { name: 'theirs', value: CANARY }, 'variable'),
    'maintenance-windows': await make(`/api/projects/${projectId}/maintenance-windows`, {
      title: name, starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-01T01:00:00Z',
    }, 'maintenance_window'),
  };
}
