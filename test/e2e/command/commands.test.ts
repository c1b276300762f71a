import { afterAll, beforeAll, describe } from 'vitest';
import { freePort } from '../../../deploy/quickstart/servers/ports.ts';
import { LOAD_SETTINGS } from '../../faults/load.ts';
import { startFarwatch, type Farwatch } from '../../helpers/farwatch.ts';
import { clientCommands } from './client-commands.ts';
import { doctorOfRunning, doctorOfStopped } from './doctor.ts';
import { idleAlerts } from './idle-alerts.ts';
import { monitorsAsCode } from './monitors-as-code.ts';

let farwatch: Farwatch;
let env: Record<string, string> = {};
const on = {
  get farwatch() {
    return farwatch;
  },
  get env() {
    return env;
  },
};
beforeAll(async () => {
  const listeners = { METRICS_LISTEN: `127.0.0.1:${await freePort()}`, NATS_LISTEN: `127.0.0.1:${await freePort()}` };
  farwatch = await startFarwatch({ env: { ...LOAD_SETTINGS, ...listeners, BASE_URL: 'http://127.0.0.1/up' } });
  env = { ...listeners, DATA_DIR: farwatch.dataDir, PORT: new URL(farwatch.url).port };
});
// Fails if the store has refused a command of the doctor.
afterAll(() => farwatch?.stop());

// First, because it needs an idle installation.
describe('alerts', () => idleAlerts(on));
describe('farwatch doctor', () => doctorOfRunning(on));
describe('commands of users', () => clientCommands(on));
describe('monitors as code', () => monitorsAsCode(on));
describe('farwatch doctor, once Farwatch is stopped', () => doctorOfStopped(on));
