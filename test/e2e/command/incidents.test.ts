import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { makeApp, type TestApp } from '../../helpers/make-app.ts';
import { seedDiagnosis } from '../../helpers/seeded-diagnosis.ts';
import { newTenant, type Tenant } from '../../helpers/tenants.ts';
import { callCommand } from './run-command.ts';

let app: TestApp;
let tenant: Tenant;
let diagnosed: string;
let undiagnosed: string;

const run = (...args: string[]) => (
  callCommand(['incidents', ...args], { FARWATCH_URL: app.url, FARWATCH_API_KEY: tenant.readKeyText })
);
const report = async (title: string) => (await tenant.writeKey.post('/api/incidents', {
  severity: 'minor', type: 'timeout', error_message: 'No response within 10 s', title,
})).data.incident.id as string;

beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  [diagnosed, undiagnosed] = [await report('The shop is down'), await report('Letters are late')];
  await seedDiagnosis(app, tenant, { id: diagnosed, monitorId: newId(Date.now()) });
});
afterAll(() => app?.close());

test('the list has the summaries of diagnoses', async () => {
  const { stdout } = await run();
  expect(stdout.split('\n')[0]).toMatch(/ TITLE +DIAGNOSIS +ID$/);
  expect(stdout).toMatch(new RegExp(`The shop is down  The paths from paris and dallas end at .*  ${diagnosed}\n`));
  expect(stdout).toMatch(new RegExp(`Letters are late  – +${undiagnosed}\n`));
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
    incidents: [{ diagnosis: null }, { diagnosis: { classification: 'path' } }],
  });
});

test('an incident is shown with its diagnosis and the path from each region', async () => {
  const { exitCode, stdout, stderr } = await run(diagnosed);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^The shop is down\nopen, minor, started .* UTC\nError: No response within 10 s\n\nDiagnosis \(path, .* UTC\): The paths /);
  expect(stdout).toContain(`
paris sees the target down
     1  10.0.0.1      0.4 ms
     2  192.0.2.1     2.1 ms
     3  no response
     4  198.51.100.3  9.8 ms
     5  198.51.100.9  11 ms
        ✕ no response beyond this point
  6-10  no response
        ✕ target 203.0.113.80
`);
  expect(stdout).toContain('✓ target 203.0.113.80  143 ms\n');
  expect(JSON.parse((await run(diagnosed, '--json')).stdout)).toMatchObject({
    incident: { id: diagnosed }, diagnosis: { classification: 'path', regions: [{ region: 'paris' }, {}, {}] },
  });
});

test('an incident without a diagnosis says so, and one that does not exist is refused in one line', async () => {
  expect((await run(undiagnosed)).stdout).toMatch(/^Letters are late\n[^]*\n\nNo diagnosis\n$/);
  expect(JSON.parse((await run(undiagnosed, '--json')).stdout)).toMatchObject({ diagnosis: null });
  expect(await run(newId(1))).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^.+\n$/) as string });
  expect(await run('../monitors')).toMatchObject({ exitCode: 1, stdout: '' });
});
