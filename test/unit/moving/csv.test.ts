import { expect, test } from 'vitest';
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
    version: 1, groups: [{ name: 'Web' }, { name: 'Jobs' }], status_pages: [],
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
