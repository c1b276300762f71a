import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, type Environment } from '../../../shared/environment.ts';
import { systemClock, within, type Clock } from '../../../shared/time.ts';
import { RunRecords } from '../../quickstart/processes/run-records.ts';
import { readSettings, type QuickstartSettings } from '../../quickstart/settings.ts';
import { ControllerWatch } from './reach/controller-watch.ts';
import { DatabaseAccess } from './reach/database-access.ts';
import { fileSystemResponds } from './reach/file-system-responds.ts';
import { HostLookups } from './reach/host-lookups.ts';
import { NatsAccess } from './reach/nats-access.ts';

/** What checks share, so that they connect to each server only once. */
export interface DoctorContext {
  env: Environment;
  version: string;
  clock: Clock;
  dataDir: string;
  /** False if every access to DATA_DIR hangs. Then it counts as empty. */
  doesDataDirRespond: boolean;
  /** Null if they are invalid. */
  settings: QuickstartSettings | null;
  /** What is invalid about the settings. */
  problems: readonly string[];
  /** Roles of the processes that `farwatch start` runs on DATA_DIR. */
  running: ReadonlySet<string>;
  hosts: HostLookups;
  database: DatabaseAccess;
  nats: NatsAccess;
  controllers: ControllerWatch;
}

const NO_DIR = '/nonexistent';
const CLOSE_TIMEOUT_MS = 2000;

export async function openContext(
  env: Environment, version: string, clock: Clock = systemClock,
): Promise<DoctorContext> {
  const { settings, problems } = settingsOf(env);
  const named = resolve(settings?.controller.dataDir ?? (env['DATA_DIR']?.trim() || './data'));
  const doesDataDirRespond = await fileSystemResponds(named, clock);
  const dataDir = doesDataDirRespond ? realPath(named) : named;
  const readable = doesDataDirRespond ? dataDir : NO_DIR;
  const hosts = new HostLookups();
  const database = new DatabaseAccess({ settings, dataDir: readable, hosts });
  return {
    env, version, clock, dataDir, doesDataDirRespond, settings, problems, hosts, database,
    running: runningRoles(readable),
    nats: new NatsAccess({ settings, dataDir: readable, hosts, clock }),
    controllers: new ControllerWatch({ database, dataDir: readable, clock }),
  };
}

export async function closeContext({ database, nats, clock }: DoctorContext): Promise<void> {
  await within(clock, CLOSE_TIMEOUT_MS, Promise.all([database.close(), nats.close()]));
}

function settingsOf(env: Environment): Pick<DoctorContext, 'settings' | 'problems'> {
  try {
    return { settings: readSettings(env), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { settings: null, problems: error.problems };
  }
}

/** A start notes processes and sockets by this path. */
function realPath(dataDir: string): string {
  try {
    return realpathSync(dataDir);
  } catch {
    return dataDir;
  }
}

function runningRoles(dataDir: string): Set<string> {
  const dir = join(dataDir, 'run');
  if (!existsSync(dir)) return new Set();
  return new Set(new RunRecords(dir).living().map(({ role }) => role));
}
