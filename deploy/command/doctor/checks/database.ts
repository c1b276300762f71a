import type { Document } from 'mongodb';
import { isSharded, SHARDED } from '../../../../shared/database.ts';
import { combine, failed, NOT_CHECKED, notRunning, warning, type Check, type Finding } from '../check.ts';
import type { LiveController } from '../reach/controller-watch.ts';
import { UnknownHost } from '../reach/database-access.ts';

/** MongoDB 4.4: earlier ones are not maintained, and some lack what the driver needs. */
const MIN_WIRE_VERSION = 9;

export const checkDatabase: Check = async ({ settings, database, controllers, version, running }) => {
  if (settings === null) return NOT_CHECKED;
  try {
    const connected = await database.connect();
    if (connected === null) {
      return running.has('quickstart')
        ? failed('Farwatch runs, but its database does not respond', 'Look into the log of Farwatch for messages of embedded-mongo or mongod.')
        : notRunning('the database of farwatch start');
    }
    const name = (await database.started)?.name ?? 'MongoDB';
    const live = await controllers.live();
    const { hello } = connected;
    return combine([...judgeServer(hello), ...judgeVersions(live, version)], describe(name, hello, live));
  } catch (error) {
    return judgeConnectFailure(error as Error);
  }
};

/** By the server's response to `hello`. */
export function judgeServer(hello: Document): Finding[] {
  if (isSharded(hello)) return [failed(SHARDED.problem, SHARDED.remedy)];
  if (Number(hello['maxWireVersion']) < MIN_WIRE_VERSION) {
    return [failed('The database is older than MongoDB 4.4', 'Update it to a version that is maintained.')];
  }
  if (hello['setName'] !== undefined && hello['isWritablePrimary'] !== true) {
    return [failed(`The replica set ${hello['setName']} has no primary`, 'See rs.status(): most of its members must be running and reach each other.')];
  }
  return hello['readOnly'] === true ? [failed('The database is read-only', 'Make it writable, or set MONGODB_URL to another one.')] : [];
}

/** Different versions may run together, but only while they are updated. */
export function judgeVersions(live: readonly Pick<LiveController, 'version'>[], own: string): Finding[] {
  const others = [...new Set(live.map(({ version }) => version ?? 'an older version'))].filter((version) => version !== own);
  if (others.length === 0) return [];
  return [warning(
    `Controllers of other versions run on this database: ${others.join(', ')}; this is ${own}`,
    `Update all controllers to the same version, one after the other, and restart those that still run the old one.`,
  )];
}

const REFUSED_LOGIN = 18;

export function judgeConnectFailure(error: Error): Finding {
  const { text, code } = causeOf(error);
  if (error instanceof UnknownHost) return failed(`The database is unreachable: ${error.message}`, 'See the check dns.');
  if (code === REFUSED_LOGIN || /auth\w* failed|bad auth/i.test(text)) {
    return failed('The database refuses the user or password', 'Correct both in MONGODB_URL, and authSource if the user is stored in another database.');
  }
  if (/certificate|TLS|SSL/i.test(text)) {
    return failed(`There is no secure connection to the database: ${text}`, 'Set tls and tlsCAFile in MONGODB_URL as the server needs them, or NODE_EXTRA_CA_CERTS to its authority.');
  }
  if (/ECONNREFUSED/.test(text)) {
    return failed(`The database refuses connections: ${text}`, 'Start the database, or correct host and port in MONGODB_URL.');
  }
  if (/wire version|incompatible/i.test(text)) return failed(text, 'Update the database to a version that is maintained.');
  return failed(
    `The database is unreachable: ${text}`,
    'See whether the database runs, whether a firewall lets this host reach its port, and whether MONGODB_URL lists all members of its replica set.',
  );
}

/** The driver reports only a timeout, and in it what each server last failed with. */
function causeOf(error: Error): { text: string; code: unknown } {
  const servers = (error as { reason?: { servers?: Map<string, { error: Error | null }> } }).reason?.servers;
  const inner = [...(servers?.values() ?? [])].flatMap((server) => server.error ?? []);
  const of = inner[0] ?? error;
  return { text: (of.message.split('\n', 1)[0] as string).slice(0, 300), code: (of as { code?: unknown }).code };
}

function describe(name: string, hello: Document, live: readonly unknown[]): string {
  const kind = hello['setName'] === undefined ? '' : `, replica set ${hello['setName']}`;
  const controllers = `${live.length} running ${live.length === 1 ? 'controller' : 'controllers'}`;
  return `${name}${kind} responds; ${controllers}`;
}
