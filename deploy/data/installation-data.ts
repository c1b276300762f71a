import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, readEnvironment, type Environment } from '../../shared/environment.ts';
import { setting } from '../../shared/setting.ts';
import { VERSION_FILE } from '../../shared/version.ts';
import { DATA_FOLDERS, RESTORED_NOTE, whyUnusable } from '../quickstart/servers/database.ts';
import { Refusal } from './documents.ts';

const variables = z.object({
  DATA_DIR: setting.text().default('./data'),
  MONGODB_URL: setting.url('mongodb', 'mongodb+srv').optional(),
});

/** Where an installation has its data. */
export interface InstallationData {
  dataDir: string;
  /** Null for the database that Farwatch runs itself. */
  mongoUrl: string | null;
}

/** @throws ConfigError */
export function readInstallationData(env: Environment): InstallationData {
  const { values, problems } = readEnvironment(variables, env, ['MONGODB_URL']);
  if (values === null || problems.length > 0) throw new ConfigError(problems);
  return { dataDir: resolve(values.DATA_DIR), mongoUrl: values.MONGODB_URL ?? null };
}

/** The directory of the installation's embedded store. Throws Refusal if it has another database or none. */
export function embeddedDirOf({ dataDir, mongoUrl }: InstallationData, instead: string): string {
  if (mongoUrl !== null) throw new Refusal(`MONGODB_URL is set, so the data is in your own MongoDB: ${instead}`);
  if (existsSync(join(dataDir, DATA_FOLDERS.mongod))) {
    throw new Refusal(`The data in ${dataDir} is in a mongod: ${instead}`);
  }
  const reason = whyUnusable(dataDir);
  if (reason !== null) throw new Refusal(reason);
  const dir = join(dataDir, DATA_FOLDERS.embedded);
  if (!existsSync(join(dir, 'data.mdb'))) throw new Refusal(`${dataDir} has no data; set DATA_DIR to that of Farwatch`);
  return dir;
}

/** What a data directory may contain before it has data: a new file system, and what each start writes. */
const WITHOUT_DATA = new Set<string>(['lost+found', 'run', VERSION_FILE, DATA_FOLDERS.restoring, RESTORED_NOTE]);

/** Throws Refusal if the directory has data, or if root would write for another user. */
export function requireUnused(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const { uid } = statSync(dataDir);
  // Farwatch could not open the files of root. Others can't write where they may not.
  if (process.geteuid?.() === 0 && uid !== 0) {
    throw new Refusal(`${dataDir} belongs to the user with id ${uid}: run this command as that user`);
  }
  const found = readdirSync(dataDir).find((name) => !WITHOUT_DATA.has(name));
  if (found !== undefined) throw new Refusal(`${dataDir} is not empty: it has ${found}`);
}
