import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import initSqlJs from 'sql.js/dist/sql-wasm-inline.js';
import { describe, expect, test } from 'vitest';
import { FileRefused } from '../../../controller/moving/converter.ts';
import type { From } from '../../../controller/moving/schema.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { converted } from './converted.ts';

const KUMA = readFileSync(join(import.meta.dirname, '../../fixtures/moving/kuma-2.db'));
const CSV = 'name,type,target\nShop,HTTP,https://shop.example/\n';
const GATUS = 'endpoints: [{ name: a, url: "https://a.example", conditions: ["[STATUS] == 200"] }]\n';
const SAMPLES: Record<From, string | Uint8Array | object> = {
  kuma: KUMA, gatus: GATUS, csv: CSV,
  uptimerobot: { monitors: [{ friendly_name: 'A', url: 'https://a.example', type: 1 }] },
  betterstack: { data: [{ id: '1', type: 'monitor', attributes: { url: 'https://a.example', monitor_type: 'status' } }] },
  healthchecks: { checks: [{ name: 'A', grace: 60, n_pings: 0, timeout: 60 }] },
  blackbox: 'modules: { a: { prober: icmp } }\n---\nscrape_configs: []\n',
};
const TOOLS = Object.keys(SAMPLES) as From[];

describe.each(TOOLS)('from=%s', (from) => {
  test.each(TOOLS.filter((other) => other !== from))('refuses a file of %s, and names it', async (other) => {
    await expect(converted(from, SAMPLES[other])).rejects.toThrow(new RegExp(`It looks like .*\\(from=${other}\\)`));
  });

  test('takes its own file', async () => {
    expect((await converted(from, SAMPLES[from])).document.version).toBe(1);
  });

  test('refuses or converts every mutation of it', async () => {
    const sample = SAMPLES[from];
    const bytes = sample instanceof Uint8Array ? sample
      : Buffer.from(typeof sample === 'string' ? sample : JSON.stringify(sample));
    const edit = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(fc.nat(255), fc.constantFrom(0, 34, 91, 123, 255)));
    const edited = fc.array(edit, { minLength: 1, maxLength: 12 });
    await fc.assert(fc.asyncProperty(edited, fc.nat(bytes.length), async (edits, cut) => {
      const mutated = Uint8Array.from(bytes);
      for (const [at, value] of edits) mutated[at] = value;
      const file = cut % 4 === 0 ? mutated.subarray(0, cut) : mutated;
      await converted(from, file).catch((error: unknown) => {
        if (!(error instanceof FileRefused)) throw error;
      });
    }), { numRuns: fewOrAll(10, 1000) });
  });
});

test.each<[string, string | Uint8Array | object, string]>([
  ['an empty file', ' \n', 'The file is empty'],
  ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'The file looks like gzip data; unpack it first'],
  ['ZIP', Buffer.from('PK\x03\x04xxxx'), 'The file looks like a ZIP archive; unpack it first'],
  ['an image', Buffer.from('\x89PNG\r\n', 'latin1'), 'The file looks like an image'],
  ['UTF-16', Buffer.from('\ufeffname', 'utf16le'), 'The file looks like UTF-16 text; save it as UTF-8'],
  ['HTML', '<!doctype html><p>', 'The file looks like HTML or XML'],
  ['bytes', Buffer.from([0xc3, 0x28, 0xff]), 'The file is neither text in UTF-8 nor a SQLite database'],
  ['broken JSON', '{"monitorList": [', 'The file is not valid JSON: '],
  ['broken YAML', 'a: [1', 'The file is not valid YAML: '],
  ['other JSON', { hello: 1 }, 'It looks like JSON of another kind'],
  ['other YAML', 'hello: 1', 'It looks like YAML of another kind'],
  ['other text', 'hello', 'It looks like text of another kind'],
  ['a document of Farwatch', { version: 1, groups: [], monitors: [] }, 'It looks like a document that Farwatch imports as it is'],
])('%s is refused', async (_title, file, message) => {
  await expect(converted('kuma', file)).rejects.toThrow(message);
});

const monitors = (count: number) => `name,type,target\n${'Shop,HTTP,https://shop.example/\n'.repeat(count)}`;

describe('too much', () => {
  test.runIf(fewOrAll(false, true))('10,000 monitors are one document', async () => {
    expect((await converted('csv', monitors(10_000))).counts).toEqual({ full: 10_000, partial: 0, skipped: 0 });
  });

  test('10,001 monitors are refused', async () => {
    await expect(converted('csv', monitors(10_001))).rejects.toThrow('The file has more than 10000 monitors; split it');
  });

  test('more than 20,000 items and 1,000 groups are refused', async () => {
    const items = `name,type,target\n${'x,FTP,x\n'.repeat(20_001)}`;
    await expect(converted('csv', items)).rejects.toThrow('The file has more than 20000 items');
    const groups = Array.from({ length: 1001 }, (_, at) => `n,HTTP,https://a.example/,g${at}`).join('\n');
    await expect(converted('csv', `name,type,target,group\n${groups}`)).rejects.toThrow('The file has more than 1000 groups');
  });

  test('aliases cannot multiply', async () => {
    const levels = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`);
    const bomb = `l0: &l0 [x]\n${levels.join('\n')}\nendpoints: [{ name: a, url: "https://a.example", conditions: *l9 }]\n`;
    await expect(converted('gatus', bomb)).rejects.toThrow('The file is not valid YAML: Excessive alias count');
  });

  test.each([['gatus', `endpoints: ${'['.repeat(100_000)}`], ['gatus', `${'- '.repeat(100_000)}x`]] as const)(
    'deep nesting of %s is refused', async (from, text) => {
      await expect(converted(from, text)).rejects.toThrow(FileRefused);
    },
  );

  test('millions of values and megabytes of YAML are refused before they are parsed', async () => {
    await expect(converted('uptimerobot', `[${'1,'.repeat(5_000_001)}1]`)).rejects.toThrow('more than 5000000 values');
    await expect(converted('gatus', `endpoints: []\n${'#'.repeat(8 * 1024 * 1024)}`)).rejects.toThrow('larger than 8 MB');
    await expect(converted('csv', new Uint8Array(64 * 1024 * 1024 + 1))).rejects.toThrow('larger than 64 MB');
  });
});

/** A database that replaces the table of monitors by what `sql` makes. */
async function database(sql: string): Promise<Uint8Array> {
  const { Database } = await initSqlJs();
  const made = new Database();
  made.exec(`CREATE TABLE notification (id INTEGER, name TEXT, config TEXT); ${sql}`);
  const bytes = made.export();
  made.close();
  return bytes;
}

describe('hostile databases', () => {
  const COLUMNS = 'id INTEGER PRIMARY KEY, name TEXT, type TEXT, maxretries INTEGER, upside_down INTEGER, url TEXT';
  const ROW = `INSERT INTO monitor (id, name, type, maxretries, upside_down, url) VALUES (1, 'A', 'http', 0, 0, 'https://a.example/');`;

  test('views are not read', async () => {
    const bomb = `CREATE VIEW monitor AS WITH RECURSIVE n(name) AS (VALUES(1) UNION ALL SELECT name + 1 FROM n) SELECT name, zeroblob(1000000000) AS type FROM n;`;
    await expect(converted('kuma', await database(bomb))).rejects.toThrow('a SQLite database of another program');
  });

  test('generated columns are not computed, and triggers not run', async () => {
    const made = await database(`CREATE TABLE monitor (${COLUMNS}, method TEXT GENERATED ALWAYS AS ('P' || 'OST') VIRTUAL);
      CREATE TRIGGER bomb AFTER INSERT ON notification BEGIN DELETE FROM monitor; END; ${ROW}`);
    expect((await converted('kuma', made)).monitors['A']).toMatchObject({ target: 'https://a.example/', method: 'GET' });
  });

  test('huge values are left out', async () => {
    const made = await database(`CREATE TABLE monitor (${COLUMNS}, body TEXT); ${ROW} UPDATE monitor SET body = hex(zeroblob(4000000));`);
    expect((await converted('kuma', made)).monitors['A'].body).toBeUndefined();
  });

  test('too many rows are refused', async () => {
    const rows = `WITH RECURSIVE n(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM n WHERE i < 50010) INSERT INTO monitor (id, name) SELECT i, 'x' FROM n;`;
    const made = await database(`CREATE TABLE monitor (${COLUMNS}); ${rows}`);
    await expect(converted('kuma', made)).rejects.toThrow('A table of the database has more than 50000 rows');
  });

  test('a damaged file is refused with the reason', async () => {
    const cut = Uint8Array.from(KUMA.subarray(0, 8192));
    await expect(converted('kuma', cut)).rejects.toThrow(/The SQLite database cannot be read: |of another program/);
    const empty = Buffer.alloc(4096);
    empty.write('SQLite format 3\0');
    await expect(converted('kuma', empty)).rejects.toThrow('The SQLite database cannot be read: ');
  });

  test('one without monitors, such as a copy of a running Kuma, is refused with a hint', async () => {
    const made = await database(`CREATE TABLE monitor (${COLUMNS});`);
    await expect(converted('kuma', made)).rejects.toThrow('The file has no monitors. Stop Uptime Kuma before you copy');
  });

  test('groups that contain each other and unknown parents end', async () => {
    const made = await database(`CREATE TABLE monitor (${COLUMNS}, parent INTEGER);
      INSERT INTO monitor (id, name, type, parent) VALUES (1, 'A', 'group', 2), (2, 'B', 'group', 1), (3, 'C', 'group', 99);`);
    expect((await converted('kuma', made)).document.groups).toHaveLength(3);
  });
});

test('texts that no document may contain are replaced', async () => {
  const name = 'A\u0000\ud800\nB';
  const { document } = await converted('uptimerobot', { monitors: [{
    friendly_name: name, url: 'https://u:p%40ss@a.example/', type: 1, custom_http_headers: { __proto__x: 'a', constructor: 'b' },
  }] });
  expect(document.monitors).toMatchObject([{
    name: 'A\ufffd B', target: 'https://a.example/', auth: { username: 'u', password: 'p@ss' }, headers: { __proto__x: 'a' },
  }]);
});
