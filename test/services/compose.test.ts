import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromSeed } from 'nkeys.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { natsPrograms } from '../helpers/nats-programs.ts';
import { root } from '../root.mjs';
import { go, goProgram } from './go-programs.ts';

const DIR = join(root, 'deploy/compose');

interface Service {
  profiles?: string[];
  image: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  volumes?: { source: string; target: string }[];
}

describe.runIf(go !== null)('compose.yaml', () => {
  let services: Record<string, Service>;
  beforeAll(async () => {
    ({ services } = parse(await goProgram('cmd', join(DIR, 'compose.yaml'))) as { services: typeof services });
  });
  const namesOf = (profile: string | undefined) =>
    Object.keys(services).filter((name) => services[name]?.profiles?.[0] === profile).sort();

  test('starts one container by default, and with the profile ha whatever is needed to lose one of each', () => {
    expect(namesOf(undefined)).toEqual(['farwatch']);
    expect(namesOf('ha')).toEqual([
      'controller', 'controller-2', 'mongodb', 'mongodb-2', 'mongodb-3', 'mongodb-setup',
      'nats', 'nats-2', 'nats-3', 'nats-setup', 'probe',
    ]);
  });

  test('gives each container of Farwatch its own data, a read-only system and no capability by default', () => {
    const own = Object.values(services).filter(({ image }) => image === 'farwatch');
    expect(own).toHaveLength(8);
    for (const service of own) expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const data = own.map(({ volumes }) => volumes?.find(({ target }) => target === '/data')?.source);
    expect(new Set(data).size).toBe(own.length);
  });
});

test('the keys and the configuration of the NATS cluster are made once and fit each other', () => {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-compose-'));
  try {
    const prepare = () => {
      execFileSync(process.execPath, [join(DIR, 'prepare-nats.mjs'), join(root, 'deploy/examples/nats.conf'), dir]);
      return ['nats.conf', 'nats.creds'].map((name) => readFileSync(join(dir, name), 'utf8'));
    };
    const [config = '', credentials = ''] = prepare();
    const [user, account] = credentials.trim().split('\n').map((seed) => fromSeed(Buffer.from(seed)).getPublicKey());
    expect(config).toContain(`issuer: ${account}, auth_users: [ ${user} ]`);
    expect(config, 'each key is set, except in comments').not.toMatch(/^[^#\n]*_KEY\b/m);
    const program = natsPrograms().newest;
    if (program) execFileSync(program.path, ['-t', '-c', join(dir, 'nats.conf')], { env: { SERVER_NAME: 'nats' }, stdio: 'pipe' });
    expect(prepare(), 'a second start changes nothing').toEqual([config, credentials]);
    expect(statSync(join(dir, 'nats.creds')).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
