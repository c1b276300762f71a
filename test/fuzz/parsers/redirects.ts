import assert from 'node:assert/strict';
import type { Hop } from '../../../probe/checks/http/hops.ts';
import { fuzzedParser } from './fuzzed-parser.ts';
import type * as RequestEntry from './request-entry.ts';

const STATUSES = [301, 302, 303, 307, 308];
const FIRST: Hop = {
  url: new URL('https://user.test/start?a=1'), method: 'POST', body: 'secret',
  headers: { Authorization: 'secret', Cookie: 'secret', 'X-Token': 'secret', 'Content-Type': 'text/plain', Accept: '*/*' },
};

/** Wherever redirects lead, the request is one line and its headers, and no other origin gets a secret. */
export const redirects = fuzzedParser<typeof RequestEntry>({
  name: 'redirects', entry: 'test/fuzz/parsers/request-entry.ts',
  seeds: [
    '/next\n../x?y#z\nhttps://user.test:443/back', 'http://user.test/\nhttps://user.test/', '//other.test/\\x\n?q=\xe4',
    'https://user.test@other.test/\n/', 'https://user.test%2eother.test\nhttps:user.test', 'file:///etc/passwd\njavascript:1',
    'http://[::1]:80/\nhttp://127.1/\nhttp://0x7f.1/', '/a\r\nX: y\n/%0d%0aX:%20y HTTP/1.1', ' \t/x\u0000y\n\u0001', '/\n/\n/\n/\n/\n/\n/\n/',
  ],
  feed: ({ nextHop, parsedUrl, requestBytes, tooManyRedirects }, bytes, random) => {
    let hop = FIRST;
    let wasForeign = false;
    const visited = [FIRST.url];
    for (const location of bytes.toString('latin1').split('\n', 10)) {
      const url = parsedUrl(location.trim(), hop.url);
      if (url === null || !/^https?:$/.test(url.protocol)) continue;
      assert.ok(tooManyRedirects(visited, url, visited.length).length < 1000);
      hop = nextHop(hop, random.pick(STATUSES), url);
      visited.push(url);
      wasForeign ||= url.origin !== FIRST.url.origin;
      const request = requestBytes({ ...hop, wantsContent: true, version: '1' }).toString();
      const [line = '', ...others] = request.slice(0, request.indexOf('\r\n\r\n')).split('\r\n');
      assert.match(line, /^(?:GET|POST) \/[\x21-\x7e]* HTTP\/1\.1$/);
      assert.ok(others.length <= 10 && others.every((one) => /^[A-Z][A-Za-z-]*: [\x20-\x7e]+$/.test(one)));
      assert.equal(others[0], `Host: ${url.host}`);
      if (wasForeign) assert.ok(!request.includes('secret'));
    }
  },
});
