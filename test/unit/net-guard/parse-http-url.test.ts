import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { addressRefusal, parseHttpUrl } from '../../../shared/net-guard.ts';

const strict = { allowPrivate: false };

/** Why a caller without a resolver refuses a URL, or null. */
function refusal(text: string): string | null {
  const parsed = parseHttpUrl(text);
  if (!parsed.ok) return parsed.reason;
  if (parsed.isLocalhost) return 'localhost';
  return isIP(parsed.host) === 0 ? null : addressRefusal(parsed.host, strict);
}

describe('a destination URL', () => {
  test.each([
    ['https://example.com/hook?a=b#c', 'example.com'],
    ['HTTP://EXAMPLE.com:8080/', 'example.com'],
    ['https://93.184.216.34/', '93.184.216.34'],
    ['https://[2606:4700::1111]:8443/x', '2606:4700::1111'],
    ['https://example.com/path@with-at?x=@y', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://127.0.0.1.nip.io/', '127.0.0.1.nip.io'],
  ])('%s is accepted, with its host', (text, host) => {
    const parsed = parseHttpUrl(text);
    expect(parsed).toMatchObject({ ok: true, host });
    expect(refusal(text)).toBeNull();
  });

  test.each([
    'http://localhost/', 'http://LOCALHOST/', 'http://localhost./', 'http://localhost../',
    'http://a.localhost/', 'http://a.localhost./', 'http://localhost.localdomain/', 'http://ｌｏｃａｌｈｏｓｔ/',
    'http://127.0.0.1/', 'http://127.0.0.1./', 'http://127.1/', 'http://2130706433/', 'http://0x7f.1/',
    'http://0x7f000001/', 'http://0177.0.0.1/', 'http://017700000001/', 'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/', 'http://127。0。0。1/', 'http://0/', 'http://0.0.0.0/', 'http://[::]/', 'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/', 'http://[fe80::1]/', 'http://[fd00:ec2::254]/',
    'http://169.254.169.254/latest/meta-data/', 'http://169.254.1/', 'http://2852039166/',
    'http://100.64.0.1/', 'http://100.100.100.200/', 'http://10.0.0.1/', 'http://172.16.0.1/',
    'http://192.168.1.1/', 'http://user@example.com/', 'http://user:pass@example.com/',
    'http://:@example.com/', 'http://@example.com/', 'http://example.com@127.0.0.1/',
    'http://example.com%40127.0.0.1/', 'http://example.com\\@127.0.0.1/', 'http:\\\\127.0.0.1/',
    'file:///etc/passwd', 'gopher://example.com/', 'ftp://example.com/', 'javascript:alert(1)',
    'data:text/html,x', 'http:example.com', 'http:/example.com', '//example.com', 'example.com', '',
    'http://', 'http:///', 'https://?x', 'http://example.com:0/', 'http://example.com:99999/',
    'http://exa mple.com/', 'http://example.com/a b', 'http://exam\tple.com/', 'http://example.com/\r\nX: y',
    ' http://example.com/', 'http://example.com/\u0000', 'http://[::1', 'http://[fe80::1%25eth0]/',
    'http://1.2.3.4.5/', 'http://256.1.1.1/', `http://example.com/${'a'.repeat(2048)}`,
  ])('%s is rejected', (text) => {
    expect(refusal(text)).not.toBeNull();
  });

  test("may use a web server's port, but no port of another protocol", () => {
    const parsed = (port: number) => parseHttpUrl(`http://example.com:${port}/`);
    for (const port of [22, 25, 53, 110, 587, 6379, 11211]) {
      const reason = `must not use port ${port}, which belongs to another protocol`;
      expect(parsed(port)).toEqual({ ok: false, reason });
    }
    for (const port of [80, 443, 3000, 8000, 8080, 8443, 9000]) expect(parsed(port).ok).toBe(true);
  });
});
