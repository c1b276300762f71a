import { describe, expect, test } from 'vitest';
import { AppError } from '../../../controller/errors/app-error.ts';
import { validate } from '../../../controller/http/input/validation.ts';
import type { MonitorDoc } from '../../../controller/monitors/monitor.ts';
import { type CreateMonitorInput, monitorInputs } from '../../../controller/monitors/schema.ts';
import { settable } from '../../../controller/monitors/settable.ts';
import type { VariableDoc } from '../../../controller/monitors/variable.ts';
import { filledSpec, faultsOfValues } from '../../../controller/monitors/variable-texts.ts';

const common = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };

function variable(name: string, value: string | null, is_secret = false): VariableDoc {
  const of = { organization_id: 'o', project_id: 'p', revision: 1, created_by: 'u', created_at: 1, updated_at: 1 };
  return { _id: `id-${name}`, name, value, is_secret, ...of };
}
function monitor(body: object, variables: VariableDoc[]): MonitorDoc {
  const input = validate(monitorInputs(30).create, { ...common, ...body }) as CreateMonitorInput;
  return { _id: 'm', type: input.type, ...settable(input, null, input, 30, variables) } as MonitorDoc;
}
function problemsOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof AppError ? error.details ?? error.message : error;
  }
  return [];
}

describe('a value that makes a monitor invalid', () => {
  test.each<[value: string, body: object, path: (string | number)[], message: string]>([
    ['not a host', { target: 'https://{{bad}}/' }, ['target'], 'Target must be an absolute URL'],
    ['169.254.169.254', { target: 'http://{{bad}}/' }, ['target'], 'Checks must not reach the address in the value'],
    ['::ffff:169.254.169.254', { type: 'ICMP', target: '{{bad}}' }, ['target'], 'Checks must not reach the address in the value'],
    ['u:p@host', { target: 'https://{{bad}}/' }, ['target'], 'Target must not contain a username or password'],
    ['host:26', { type: 'TCP', target: '{{bad}}', port: 25 }, ['target'], 'The port in the value is not the port of the monitor'],
    ['a b', { type: 'DNS', target: '{{bad}}', record_entries: [{ type: 'A' }] }, ['target'], 'Target must not contain white space, control or invisible characters'],
    ['a\nb', { headers: { X: '{{bad}}' } }, ['headers', 'X'], 'Header value must not contain line breaks or control characters'],
    ['a:b', { auth: { type: 'basic', username: '{{bad}}', password: '' } }, ['auth', 'username'], 'Must not contain a colon'],
    ['a b', { auth: { type: 'bearer', token: '{{bad}}' } }, ['auth', 'token'], 'Must be printable ASCII without spaces'],
    [' ', { type: 'KEYWORD', keywords: [{ text: '{{bad}}' }] }, ['keywords', 0, 'text'], 'Keyword must not be empty'],
    ['1,024 or more bytes '.repeat(60), { type: 'TCP', target: 'host:25', send: '{{bad}}' }, ['send'], 'Must be at most 1024 bytes'],
  ])('such as %j is refused with the path of the setting, and never quoted', (value, body, path, message) => {
    const bad = [variable('bad', value)];
    expect(problemsOf(() => monitor(body, bad))).toMatchObject([{ path, message }]);
    const doc = monitor(body, [variable('bad', 'good')]);
    expect(doc.variable_ids).toEqual(['id-bad']);
    const [fault] = faultsOfValues(doc.type, doc, bad);
    expect(fault).toMatchObject({ path, message });
    expect(problemsOf(() => filledSpec(doc, bad))).toBe(`Validation failed: ${path.join('.')}: ${message}`);
  });

  test('is named where the request has it', () => {
    const body = { type: 'KEYWORD', keyword_config: { keywords: [{ text: '{{none}}' }] }, http_config: { headers: { X: '{{none}}' } } };
    expect(problemsOf(() => monitor(body, []))).toMatchObject([
      { path: ['http_config', 'headers', 'X'] }, { path: ['keyword_config', 'keywords', 0, 'text'] },
    ]);
  });

  test('is one that is missing or lost', () => {
    const doc = monitor({ headers: { X: '{{token}}' } }, [variable('token', 'x')]);
    for (const variables of [[], [variable('token', null)]]) {
      expect(problemsOf(() => filledSpec(doc, variables)))
        .toBe('Validation failed: headers.X: The value of {{token}} is missing; enter it again');
    }
  });
});

test('a probe gets the values, and which of them are secret', () => {
  const variables = [variable('host', 'db.example'), variable('port', '443'), variable('token', 's"e\\c\r', true), variable('other', 'x', true)];
  const http = monitor({
    target: 'https://{{host}}:{{port}}/\\{{x}}', method: 'POST', body: '{{host}} \\{{token}}', headers: { A: 'Bearer {{host}}' },
    auth: { type: 'basic', username: '{{host}}', password: '{{port}}' },
  }, variables);
  const spec = filledSpec(http, variables);
  expect(spec).toMatchObject({
    url: 'https://db.example:443/{{x}}', body: 'db.example {{token}}',
    headers: { A: 'Bearer db.example', authorization: `Basic ${Buffer.from('db.example:443').toString('base64')}` },
  });
  expect(spec).not.toHaveProperty('secrets');
  const tcp = monitor({ type: 'TCP', target: '{{host}}:5432', send: 'AUTH {{token}}\\r\\n' }, variables);
  expect(filledSpec(tcp, variables)).toMatchObject({
    host: 'db.example', port: 5432, send: 'AUTH s"e\\c\r\r\n', secrets: ['s"e\\c\r'],
  });
  const literal = { ...http, variable_ids: undefined } as unknown as MonitorDoc;
  expect(filledSpec(literal, variables)).toMatchObject({ url: 'https://{{host}}:{{port}}/\\{{x}}' });
});
