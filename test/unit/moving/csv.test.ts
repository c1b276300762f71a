import { expect, test } from 'vitest';
import { longestGapSeconds } from '../../../controller/moving/converters/cron-gap.ts';
import { converted } from './converted.ts';

const TABLE = `name,type,target,interval_seconds,group,tags,owner
Shop,http,https://shop.example/,60,Web,"prod, web",me
"Multi
line ""name""",TCP,db.example:5432,,,

Names,DNS,shop.example,300,,
Job,HEARTBEAT,,3600,Jobs,
Broken,FTP,x,60,,
No target,HTTP,,60,,
Wrong,HTTP,ftp://x.example,60,,
Slow,HTTP,https://a.example,often,,
Word,KEYWORD,https://a.example,60,,
Long,HTTP,https://a.example,60,,,,,
`;

test('a table has one monitor in each row; bad rows are skipped with their line', async () => {
  const { document, items, counts } = await converted('csv', TABLE);
  expect(document).toEqual({
    version: 1, groups: [{ name: 'Web' }, { name: 'Jobs' }], integrations: [], status_pages: [], maintenance_windows: [],
    monitors: [
      { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, group: 'Web', tags: ['prod', 'web'] },
      { name: 'Multi line "name"', type: 'TCP', target: 'db.example:5432', interval_seconds: 60 },
      { name: 'Names', type: 'DNS', target: 'shop.example', interval_seconds: 300, record_entries: [{ type: 'A' }] },
      { name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 3600, group: 'Jobs' },
    ],
  });
  expect(counts).toEqual({ full: 4, partial: 0, skipped: 7 });
  expect(items).toMatchObject({
    header: ['skipped', 'These columns are ignored: owner.'],
    Broken: ['skipped', 'Line 8: The type must be one of HTTP, KEYWORD, ICMP, TCP, DNS, HEARTBEAT.'],
    'No target': ['skipped', 'Line 9: The target is empty.'],
    Wrong: ['skipped', 'Line 10: target: Target must be an http or https URL.'],
    Slow: ['skipped', 'Line 11: interval_seconds must be a whole number.'],
    Word: ['skipped', 'Line 12: A KEYWORD monitor needs keywords, for which there is no column.'],
    Long: ['skipped', 'Line 13: It has more cells than the first line.'],
  });
});

test('semicolons separate cells if the first line has no comma, and a byte order mark is ignored', async () => {
  const { monitors } = await converted('csv', '\ufeffName;Type;Target\r\nShop;HTTP;https://shop.example/?a,b\r\n');
  expect(monitors['Shop'].target).toBe('https://shop.example/?a,b');
});

test.each([
  ['* * * * *', 60], ['*/15 * * * *', 900], ['0 2 * * *', 86_400], ['0 2 * * mon-fri', 3 * 86_400], ['30 4 1 * *', 31 * 86_400],
  ['0 0 1 1 *', 366 * 86_400], ['0 9-17 * * *', 16 * 3600], ['0 0 1,15 * 5', 7 * 86_400], ['0 0 29 2 *', null], ['0 2 * *', null],
  ['60 2 * * *', null], ['@daily', null], ['0 0 * * mon#1', null], ['0 5/6 * * *', 12 * 3600 - 6 * 3600],
])('the longest time between two runs of %s is %s s', (schedule, seconds) => {
  expect(longestGapSeconds(schedule)).toBe(seconds);
});
