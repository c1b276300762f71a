import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, MongoClient } from 'mongodb';
import { afterEach, expect } from 'vitest';
import { DATA_VERSION } from '../../shared/version.ts';
import { runCommand } from '../e2e/command/run-command.ts';
import { storeUrl } from '../helpers/ledger.ts';
import { until } from '../helpers/until.ts';
import { longFault } from './fault.ts';
import { Load } from './load.ts';
import { Parts } from './parts.ts';
import { countResults, toOutcome } from './tally.ts';

let load: Load<Parts> | null = null;
afterEach(() => load?.stop());

const NEWER = DATA_VERSION + 1;

/** Every document of the database. */
async function documents(client: MongoClient): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { name } of await client.db('farwatch').listCollections({}, { nameOnly: true }).toArray()) {
    const all = await client.db('farwatch').collection(name).find().toArray();
    found[name] = all.map((document) => BSON.EJSON.stringify(document)).toSorted();
  }
  return found;
}

/** Every file of a data directory, except the lock that each start takes. */
function files(dir: string): Record<string, string> {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/lock'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'base64')]));
}

longFault('F40', 'an older version is started on the data of a newer one, while a probe checks', async () => {
  load = await Load.on(Parts.start());
  const { farwatch: parts, session } = load;
  const { controller } = parts;
  await parts.probe(session, 'local');
  const [id = ''] = await load.steady(5, 'downgrade');
  await controller.end('SIGTERM');
  const client = await MongoClient.connect(storeUrl(parts.database.log));
  try {
    const versions = client.db('farwatch').collection<{ _id: string; version: number }>('settings');
    const setVersion = async (version: number) => {
      const { matchedCount } = await versions.updateOne({ _id: 'data_version' }, { $set: { version } });
      expect(matchedCount).toBe(1);
    };
    await setVersion(NEWER);
    const dataDir = controller.env['DATA_DIR'] as string;
    const before = { documents: await documents(client), files: files(dataDir) };
    const from = controller.log.length;
    controller.start();
    await until(() => controller.hasEnded, { what: 'the controller refuses' });
    const lines = controller.log.slice(from).trim().split('\n').filter((line) => !line.startsWith('{'));
    expect({ exitCode: controller.exitCode, lines }).toEqual({
      exitCode: 2, lines: [expect.stringContaining('The database farwatch was written by a newer version')],
    });
    expect({ documents: await documents(client), files: files(dataDir) }).toEqual(before);
    const start = { DATA_DIR: mkdtempSync(join(tmpdir(), 'farwatch-older-')), PORT: '0', MONGODB_URL: controller.env['MONGODB_URL'] as string };
    const started = await runCommand(['start'], start);
    rmSync(start.DATA_DIR, { recursive: true });
    expect({ exitCode: started.exitCode, lines: started.stderr.trim().split('\n') }).toEqual({ exitCode: 2, lines });
    expect(await documents(client)).toEqual(before.documents);
    const checked = load.countOf(id);
    await until(() => (load as Load<Parts>).countOf(id) > checked, { what: 'checks continue' });
    await setVersion(DATA_VERSION);
    controller.deaths = 0;
    controller.start();
    await parts.ready();
    const results = await countResults(load);
    expect(await load.incidents()).toEqual([]);
    return toOutcome({ injected: 1, results, incidents: { expected: 0, opened: 0 } },
      `${Object.values(before.documents).flat().length} documents unchanged`);
  } finally {
    await client.close();
  }
});

longFault('F40', 'an older `farwatch start` on the data directory of a newer one', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-newer-'));
  try {
    writeFileSync(join(dataDir, 'version'), `${NEWER}\n`);
    const before = files(dataDir);
    const { exitCode, stderr } = await runCommand(['start'], { DATA_DIR: dataDir, PORT: '0' });
    expect({ exitCode, lines: stderr.trim().split('\n') }).toEqual({
      exitCode: 2, lines: [expect.stringContaining(`${dataDir} was written by a newer version`)],
    });
    expect(files(dataDir)).toEqual(before);
    return '1 injected; refused, no file changed';
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
