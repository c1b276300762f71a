import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { RecipientTokens } from '../../../controller/access/link-tokens.ts';

const keys = [randomBytes(32), randomBytes(32)];
const tokens = new RecipientTokens(keys);
const ada = { organizationId: 'organization-1', address: 'Ada.L+x@example.com' };

describe('a recipient token', () => {
  test('contains organization and address, and is the same each time', () => {
    expect(tokens.read(tokens.issue(ada))).toEqual(ada);
    expect(tokens.issue(ada)).toBe(tokens.issue(ada));
  });

  test('stays valid after key rotation while its own key is in the ring', () => {
    const token = tokens.issue(ada);
    const [own, next] = [keys[0] as Buffer, randomBytes(32)];
    expect(new RecipientTokens([next, own]).read(token)).toEqual(ada);
    expect(new RecipientTokens([next]).read(token)).toBeNull();
  });

  test('cannot be forged or altered without a key', () => {
    const [payload = '', signature = ''] = tokens.issue(ada).split('.');
    const forged = Buffer.from('organization-2 Ada.L+x@example.com').toString('base64url');
    const wrong = [
      '', '.', payload, `${payload}.`, `.${signature}`, `${forged}.${signature}`, `${payload}.${signature}.`,
      `${payload}.${signature.slice(0, -2)}`, `${payload}.${Buffer.alloc(32).toString('base64url')}`,
      `${payload}.${signature}.x`, 'a'.repeat(100_000),
    ];
    for (const token of wrong) expect(tokens.read(token), token.slice(0, 50)).toBeNull();
  });
});
