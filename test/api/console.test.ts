import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';

const PAGE = '<!doctype html><title>Console</title>';
let dir: string;
let app: TestApp;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-console-files-'));
  pack({ 'index.html': [PAGE, 'text/html; charset=utf-8'], 'main-1.js': ['export {};', 'text/javascript; charset=utf-8'] });
  writeFileSync(join(dir, 'secret.txt'), 'not listed');
  app = await makeApp({ consoleDir: dir });
});
afterAll(async () => {
  await app?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Files as a build writes them. */
function pack(files: Record<string, [body: string, type: string]>): void {
  for (const [name, [body]] of Object.entries(files)) {
    writeFileSync(join(dir, name), body);
    writeFileSync(join(dir, `${name}.gz`), gzipSync(body));
    writeFileSync(join(dir, `${name}.br`), brotliCompressSync(body));
  }
  const listed = Object.entries(files).map(([name, [body, type]]) => (
    [name, { type, tag: `tag-of-${name}`, bytes: { identity: body.length, gzip: 1, br: 1 } }]
  ));
  writeFileSync(join(dir, 'files.json'), JSON.stringify(Object.fromEntries(listed)));
}

test.each(['/', '/incidents', '/monitors/018f3c2e-0000-7000-8000-000000000000/checks?region=eu', '/wall', '/settings/keys'])(
  '%s serves the page, with a policy that allows nothing inline', async (path) => {
    const response = await fetch(`${app.url}${path}`);
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  },
);

test('no other path or method serves the page', async () => {
  for (const path of ['/incidentsx', '/monitor', '/api/monitors', '/console', '/index.html']) {
    expect((await app.client.get(path)).text, path).not.toBe(PAGE);
  }
  expect((await app.client.post('/incidents', {})).status).toBe(404);
});

test('assets are cached forever, compressed for clients that accept it, and 304 for clients with a current copy', async () => {
  const path = `${app.url}/console/assets/main-1.js`;
  for (const encoding of ['br', 'gzip', 'identity']) {
    const response = await fetch(path, { headers: { 'accept-encoding': encoding } });
    expect(await response.text()).toBe('export {};');
    expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const tag = response.headers.get('etag') ?? '';
    const again = await fetch(path, { headers: { 'accept-encoding': encoding, 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
});

test('only files listed by the build are served', async () => {
  for (const name of ['secret.txt', 'files.json', '..%2Fpackage.json', '__proto__', 'constructor', 'main-1.js.br']) {
    const response = await app.client.get(`/console/assets/${name}`);
    expect([response.status, response.error?.code], name).toEqual([404, 'RESOURCE_NOT_FOUND']);
  }
});
