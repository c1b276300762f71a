import type { NatsConnection } from 'nats';
import { readCalloutIssuer } from '../../../../shared/bus-credentials.ts';
import { combine, failed, NOT_CHECKED, notRunning, warning, type Check, type Finding } from '../check.ts';

const REQUEST_TIMEOUT_MS = 3000;
/** Stands for a region, a probe and a tenant that no installation has. */
const NOBODY = 'doctor';

type Subjects = Readonly<Record<string, string>>;

/** What a controller may do (docs/nats.md), each with a subject of that kind that concerns nobody. */
const PUBLISHED: Subjects = {
  'assign.>': `assign.${NOBODY}.${NOBODY}`, 'run.>': `run.${NOBODY}.${NOBODY}`, 'ask.>': `ask.99.${NOBODY}`, 'poke.>': 'poke.99',
  'events.>': `events.${NOBODY}.${NOBODY}.monitor.deleted`, 'raw.>': 'raw.mark',
};
const SUBSCRIBED: Subjects = {
  'results.>': `results.99.${NOBODY}.${NOBODY}`, 'sync.>': `sync.${NOBODY}.${NOBODY}`, 'beat.>': `beat.${NOBODY}.${NOBODY}`,
  'evidence.>': `evidence.${NOBODY}.${NOBODY}`, 'ask.>': `ask.99.${NOBODY}`, 'poke.>': 'poke.99', 'live.>': 'live.projects',
  'events.>': `events.${NOBODY}.>`, 'raw.>': `raw.${NOBODY}.>`, 'nats.connected.>': 'nats.connected.PROBES',
};
const CALLOUT = '$SYS.REQ.USER.AUTH';
const CONNECTIONS = 'nats.connections';

export interface Denied {
  operation: 'publish' | 'subscription';
  subject: string;
}

export const checkNatsPermissions: Check = async ({ settings, nats }) => {
  if (settings === null) return NOT_CHECKED;
  const contacts = await nats.contacts();
  const connection = contacts.find((contact) => contact.connection !== null)?.connection;
  if (contacts.length === 0) return notRunning('the NATS server of farwatch start');
  if (!connection) return failed('Not checked, because NATS is unreachable', 'See the check nats.');
  const subscribed = { ...SUBSCRIBED };
  if (nats.isOwn && hasCallout(settings.controller.nats.credsFile)) subscribed[CALLOUT] = CALLOUT;
  const denied = await tryAll(connection, Object.values(PUBLISHED), Object.values(subscribed));
  const findings = judgeDenied(denied, subscribed);
  if (findings.length === 0) findings.push(...await judgeRequests(connection));
  return combine(findings, 'The controllers may publish and subscribe to everything that they need');
};

export function judgeDenied(denied: readonly Denied[], subscribed = SUBSCRIBED): Finding[] {
  const namesOf = (operation: Denied['operation'], subjects: Subjects) => {
    const refused = denied.filter((one) => one.operation === operation).map(({ subject }) => subject);
    return Object.keys(subjects).filter((name) => refused.includes(subjects[name] as string));
  };
  const [publish, subscribe] = [namesOf('publish', PUBLISHED), namesOf('subscription', subscribed)];
  if (publish.length + subscribe.length === 0) return [];
  const parts = [
    publish.length > 0 ? `publish ${publish.join(', ')}` : '', subscribe.length > 0 ? `subscribe to ${subscribe.join(', ')}` : '',
  ].filter(Boolean);
  return [failed(
    `The controllers' NATS user may not ${parts.join(', and may not ')}`,
    "Remove the permissions of the user in account CONTROL, or allow these subjects, and reload the server's configuration (see docs/nats.md and deploy/examples/nats.conf).",
  )];
}

/** Has no effect on others. The server reports what it denies before it responds to a flush. */
async function tryAll(connection: NatsConnection, published: string[], subscribed: string[]) {
  const denied: Denied[] = [];
  const statuses = connection.status();
  void (async () => {
    for await (const { type, permissionContext } of statuses) {
      if (type === 'error' && permissionContext) denied.push(permissionContext as Denied);
    }
  })();
  const callback = () => undefined;
  const subscriptions = subscribed.map((subject) => connection.subscribe(subject, { callback }));
  for (const subject of published) connection.publish(subject, subject.startsWith('events.') ? emptyEvent() : '');
  await connection.flush();
  for (const subscription of subscriptions) if (!subscription.isClosed()) subscription.unsubscribe();
  await connection.flush();
  return denied;
}

/** Well-formed, so that controllers do not count it as refused. */
function emptyEvent(): string {
  const ids = { organization_id: NOBODY, project_id: NOBODY };
  return JSON.stringify({ v: 1, id: NOBODY, kind: 'monitor.deleted', ...ids, at: 0, data: { monitor_ids: [] } });
}

/** What controllers import from the system account. */
async function judgeRequests(connection: NatsConnection): Promise<Finding[]> {
  try {
    await connection.request(CONNECTIONS, JSON.stringify({ limit: 1 }), { timeout: REQUEST_TIMEOUT_MS });
    return [];
  } catch {
    return [warning(
      'The controllers cannot list the connections of probes, so they cannot close those of deleted ones',
      'Set system_account and the exports and imports of the accounts SYS and CONTROL as in deploy/examples/nats.conf.',
    )];
  }
}

function hasCallout(credsFile: string | null): boolean {
  try {
    return readCalloutIssuer(credsFile) !== null;
  } catch {
    return false;
  }
}
