import { expect, test } from 'vitest';
import { missed, type Finding } from '../../../../probe/checks/check.ts';
import { limitsFor } from '../../../../probe/runner/limits.ts';
import { Runner } from '../../../../probe/runner/runner.ts';
import type { CheckResult, TlsFacts } from '../../../../shared/contracts/result.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { buildAssignment } from '../build.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';

const DAY_MS = 86_400_000;
const assignment = buildAssignment({ retries: 0 });

function facts(certificate: string): TlsFacts {
  return {
    valid: true, expires_at: null, issuer: '', subject: '', fingerprint256: certificate, protocol: 'TLSv1.3',
    ...BARE_FACTS,
  };
}

/** A runner whose checks find the certificate with that number; null for no TLS at all. */
function build() {
  const clock = new SimulatedClock();
  const records: CheckResult[] = [];
  const seen = { certificate: 1 as number | null, parsed: 0 };
  const found = (): Finding => ({
    ...missed('overload'), outcome: 'success', missed: null,
    tls: seen.certificate === null ? null : {
      hash: seen.certificate,
      facts: () => {
        seen.parsed += 1;
        return facts(`certificate ${seen.certificate}`);
      },
    },
  });
  const runner = new Runner({
    clock, random: () => 0.5, limits: limitsFor(1000), check: () => Promise.resolve(found()),
    isCutOff: () => Promise.resolve(false),
    record: (result) => void records.push(result),
  });
  const next = async (overrides: Partial<typeof assignment> = {}): Promise<string | undefined> => {
    runner.slot({ ...assignment, ...overrides }, clock.now());
    await clock.advance(1);
    return records.at(-1)?.tls?.fingerprint256;
  };
  return { clock, runner, seen, records, next };
}

test('a result carries TLS facts when they have changed', async () => {
  const { seen, next } = build();
  expect(await next()).toBe('certificate 1');
  expect(await next()).toBeUndefined();
  seen.certificate = 2;
  expect(await next()).toBe('certificate 2');
  expect(await next()).toBeUndefined();
  seen.certificate = null;
  expect(await next()).toBeUndefined();
  seen.certificate = 2;
  expect(await next()).toBeUndefined();
  expect(seen.parsed).toBe(2);
});

test('facts are repeated once a day, and after the clock was set back by a day', async () => {
  const { clock, next } = build();
  await next();
  await clock.advance(DAY_MS - 10);
  expect(await next()).toBeUndefined();
  await clock.advance(10);
  expect(await next()).toBe('certificate 1');
  expect(await next()).toBeUndefined();
  clock.jump(-2 * DAY_MS);
  expect(await next()).toBe('certificate 1');
});

test('the first result of a new monitor or changed assignment carries them', async () => {
  const { runner, next } = build();
  await next();
  expect(await next({ monitor_id: buildAssignment().monitor_id })).toBe('certificate 1');
  expect(await next()).toBeUndefined();
  runner.forget(assignment.monitor_id);
  expect(await next()).toBe('certificate 1');
});

test('a check that outlives its assignment neither carries nor records facts', async () => {
  const { clock, runner, records, next } = build();
  runner.slot(assignment, clock.now());
  runner.forget(assignment.monitor_id);
  await clock.advance(1);
  expect(records.at(-1)).toMatchObject({ outcome: 'success', tls: null });
  expect(await next()).toBe('certificate 1');
});

test('the response to an order carries none, and the schedule still sends them', async () => {
  const { runner, next } = build();
  expect((await runner.order(assignment, 'manual')).tls).toBeNull();
  expect(await next()).toBe('certificate 1');
});

test('alternating certificates are sent six times an hour, and the last one later', async () => {
  const { clock, seen, next } = build();
  const sent: (string | undefined)[] = [];
  for (let check = 0; check < 60; check += 1) {
    seen.certificate = check % 2;
    sent.push(await next());
    await clock.advance(30_000);
  }
  expect(sent.filter((each) => each !== undefined)).toHaveLength(6);
  await clock.advance(30 * 60_000);
  seen.certificate = 7;
  expect(await next()).toBe('certificate 7');
  expect(await next()).toBeUndefined();
});
