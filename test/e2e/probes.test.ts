import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { makeFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { privateProcesses } from './private-processes.ts';
import { probeCommand } from './probe-command.ts';

const ACCOUNT = { email: 'a@example.com', password: 'correct horse battery', name: 'A' };

let farwatch: Farwatch;
let dir = '';
let token = '';
const on = {
  get farwatch() {
    return farwatch;
  },
  get dir() {
    return dir;
  },
  get token() {
    return token;
  },
  newProbe: async (name: string) => {
    const body = { region_id: 'second', name };
    const session = new ApiSession(farwatch.url).as(token);
    return (await session.ok<{ enrolment_token: string }>('POST', '/api/probes', body)).enrolment_token;
  },
};
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-'));
  // Too long for the socket of the database.
  farwatch = await makeFarwatch({ dataDir: join(dir, 'd'.repeat(120)), env: { MIN_INTERVAL_SECONDS: '1' } });
  await farwatch.start();
  const session = new ApiSession(farwatch.url);
  ({ token } = await session.ok<{ token: string }>('POST', '/api/auth/register', ACCOUNT));
  await session.as(token).ok('POST', '/api/regions', { id: 'second', name: 'Second', city: 'Oslo', country: 'NO' });
});
afterAll(async () => {
  await farwatch?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('farwatch probe', () => probeCommand(on));
// Last, because it leaves probes behind.
describe.runIf(process.platform === 'linux')('other users of the machine', () => privateProcesses(on));
