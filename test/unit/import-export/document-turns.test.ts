import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../../controller/errors/app-error.ts';
import { documentInput } from '../../../controller/import-export/schema.ts';
import { validate } from '../../../controller/http/input/validation.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const { body: whole, parseBody: parse } = documentInput(30);
const http = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };

/** Returns the result or the error. */
async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return { data: await work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
}

/** Expects both parsers to agree, and returns their result. */
async function expectSame(document: unknown): Promise<unknown> {
  const expected = await outcomeOf(() => validate(whole, document));
  expect(await outcomeOf(() => parse(document))).toEqual(expected);
  return expected;
}

const odd = fc.constantFrom<unknown>(null, 7, '', 'x', [], {}, [null], { name: 'x' });
const monitor = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ ...http, tags: ['a', 'a'], ssl_monitoring: { enabled: true } }) },
  fc.constantFrom<unknown>({
    name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60, status: 'paused', group: null,
  }, { ...http, type: 'FTP' }, { type: 'TCP' }),
  fc.record({ field: fc.constantFrom(
    'name', 'type', 'target', 'tags', 'group', 'status', 'headers', 'extra', 'confirmation_policy',
    'keyword_config',
  ), value: odd })
    .map(({ field, value }) => ({ ...http, [field]: value })),
  odd,
);
const group = fc.oneof(fc.constant({
  name: 'A', parent: 'B',
}), fc.record({ field: fc.constantFrom('name', 'parent', 'extra'), value: odd })
  .map(({ field, value }) => ({ name: 'A', [field]: value })), odd);
const document = fc.oneof(
  { weight: 10, arbitrary: fc.record({
    version: fc.constantFrom<unknown>(1, 2, '1'), groups: fc.oneof(fc.array(group, { maxLength: 3 }), odd),
    monitors: fc.oneof(
      { weight: 8, arbitrary: fc.array(monitor, { maxLength: 120 }) }, { weight: 1, arbitrary: odd },
    ), extra: odd, ['x'.repeat(150)]: odd,
  }, { requiredKeys: [] }) },
  odd,
);

test('parsing in turns accepts and rejects the same documents as parsing at once, with the same messages', async () => {
  await fc.assert(fc.asyncProperty(document, async (each) => {
    await expectSame(each);
  }), { numRuns: fewOrAll(50, 150) });
});

test('documents that are too long or have late errors are rejected with the same messages', async () => {
  const many = (count: number, faulty: (at: number) => boolean) => ({
    monitors: Array.from({ length: count }, (_, at) => ({ ...http, interval_seconds: faulty(at) ? 5 : 60 })),
    extra: 1,
  });
  expect(await expectSame(many(10_001, (at) => at === 700))).toMatchObject({
    details: [{ path: ['monitors'] }, { path: ['extra'] }],
  });
  expect(await expectSame(many(1000, (at) => at === 700))).toMatchObject({
    details: [{ path: ['monitors', 700, 'interval_seconds'] }, { path: ['extra'] }],
  });
  expect((await expectSame(many(1000, (at) => at > 100)) as { details: unknown[] }).details).toHaveLength(50);
});

test('a document in the response envelope of an export is parsed like a plain document', async () => {
  const envelope = { success: true, data: { monitors: [{ ...http, type: 'FTP' }] } };
  await expect(outcomeOf(() => parse(envelope))).resolves.toMatchObject({
    details: [{ path: ['monitors', 0, 'type'], message: expect.stringContaining('Must be one of: ') }],
  });
  expect(await parse({ success: true, data: { monitors: [http] } })).toEqual(
    validate(whole, { monitors: [http] }),
  );
});
