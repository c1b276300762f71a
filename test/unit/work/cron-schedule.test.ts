import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cronProblem, dueTimes, nextDueAt } from '../../../controller/work/cron-schedule.ts';
import { CASES, describeTimes, rangeOf } from '../../helpers/systemd-calendar.ts';

const RECORDED = readFileSync('test/fixtures/cron/systemd.txt', 'utf8').trim().split('\n');

describe('a cron schedule', () => {
  test('is due when systemd would start a timer, on days with a clock change, too', () => {
    expect(RECORDED).toHaveLength(240);
    expect(CASES.map((of) => {
      const { from, until } = rangeOf(of);
      const times: number[] = [];
      for (const at of dueTimes({ cron: of.line, timezone: of.timezone }, from)) {
        if (at > until && times.length >= 3) break;
        times.push(at);
      }
      return describeTimes(of, times);
    })).toEqual(RECORDED);
  });

  test.each([
    ['0 3 * * *', null], ['0 3 LW * MON-FRI', null], ['0 3 * *', 'Must have five fields'],
    ['0 0 3 * * *', 'Must have five fields'], ['@daily', 'Must have five fields'], ['0 3 ? * *', 'Must have five fields'],
    ['60 3 * * *', 'Is no cron schedule: Invalid value for minute: 60'], ['0 3 * * 5-1', 'Is no cron schedule'],
    ['0 0 30 2 *', 'Never comes due'], ['0 0 29 2 *', null],
  ])('%s is accepted, or refused with a reason: %s', (line, problem) => {
    if (problem === null) expect(cronProblem(line)).toBeNull();
    else expect(cronProblem(line)).toMatch(problem);
  });

  test('takes a ping up to a minute early as that of the coming due time, and a tenth of shorter gaps', () => {
    const at = (time: string) => Date.parse(`2026-07-01T${time}Z`);
    const daily = { cron: '0 5 * * *', timezone: 'Europe/Berlin' };
    expect(nextDueAt(daily, at('02:58:59'))).toBe(at('03:00:00'));
    expect(nextDueAt(daily, at('02:59:00'))).toBe(at('03:00:00') + 86_400_000);
    const minutely = { cron: '* * * * *', timezone: 'UTC' };
    expect(nextDueAt(minutely, at('02:59:53'))).toBe(at('03:00:00'));
    expect(nextDueAt(minutely, at('02:59:54'))).toBe(at('03:01:00'));
    expect(nextDueAt({ ...daily, timezone: 'Mars/Olympus' }, at('03:00:00'))).toBeNull();
  });
});
