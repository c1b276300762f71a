import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeApp, type TestApp } from '../helpers/make-app.ts';

let app: TestApp;
let files: string[];
beforeAll(async () => {
  app = await makeApp();
  const { text } = await app.client.get('/api/docs');
  files = [...text.matchAll(/(?:src|href)="(\/api\/docs\/[^"]+)"/g)].map(([, path]) => path as string);
});
afterAll(() => app.close());

describe('the reference', () => {
  test('has no inline script or style, and may load only files of this host', async () => {
    const { text, headers } = await app.client.get('/api/docs');
    expect(text).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]* src=)|https?:/);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('serves the installed files of Swagger UI, compressed and cacheable', async () => {
    expect(files.map((file) => file.split('/').slice(-2).join('/'))).toEqual([
      'styles/swagger-ui.css', 'styles/own.css', 'scripts/swagger-ui-bundle.js', 'scripts/start.js',
    ]);
    const bundle = files[2] as string;
    const sent = await app.client.get(bundle, { headers: { 'accept-encoding': 'br' } });
    const installed = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js');
    expect(sent.text).toBe(readFileSync(installed, 'utf8'));
    expect(sent.headers.get('content-encoding')).toBe('br');
    expect(sent.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const again = await fetch(app.url + bundle, {
      headers: { 'accept-encoding': 'br', 'if-none-match': sent.headers.get('etag') as string },
    });
    expect(again.status).toBe(304);
  });

  test('lets no client cache a file under another controller\'s version', async () => {
    const other = (files[3] as string).replace(/[0-9a-f]{16}/, '0123456789abcdef');
    const response = await app.client.get(other);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  test('serves no other file of the package or the host', async () => {
    const [style = ''] = files;
    for (const name of ['package.json', 'index.html', '..%2fpackage.json', '%2fetc%2fpasswd', 'start.js']) {
      expect((await app.client.get(style.replace('swagger-ui.css', name))).status, name).toBe(400);
    }
  });
});

test('the OpenAPI document is sent compressed, and as 304 to clients with a current copy', async () => {
  const first = await app.client.get('/api/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
  expect(first.headers.get('content-encoding')).toBe('gzip');
  const headers = { 'accept-encoding': 'gzip', 'if-none-match': first.headers.get('etag') as string };
  expect((await fetch(`${app.url}/api/openapi.json`, { headers })).status).toBe(304);
});
