import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundleFile } from '../../../bundle.mjs';
import { root } from '../../../root.mjs';

test('a process that first uses TLS to read a certificate can still open connections', async () => {
  const file = await bundleFile('probe/checks/tls/certificate.ts');
  const script = `
    import { X509Certificate } from 'node:crypto';
    import { readFileSync } from 'node:fs';
    import { certificateFacts } from ${JSON.stringify(pathToFileURL(file).href)};
    const pem = readFileSync(${JSON.stringify(join(root, 'test/fixtures/certificates/rsa.pem'))});
    const { key } = certificateFacts(new X509Certificate(pem));
    const { createSecureContext } = await import('node:tls');
    console.log(key.slice(0, 3), typeof createSecureContext({}));`;
  try {
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(said.trim()).toBe('RSA object');
  } finally {
    rmSync(file, { force: true });
  }
});
