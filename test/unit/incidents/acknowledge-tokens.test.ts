import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AcknowledgeTokens } from '../../../controller/access/link-tokens.ts';
import { newId } from '../../../shared/ids.ts';

const key = randomBytes(32);
const tokens = new AcknowledgeTokens([key]);
const link = { incidentId: newId(1), destinationId: newId(2), recipient: 'Ada Lovelace <ada@example.com>' };

describe('a token that acknowledges an incident', () => {
  test('contains incident, destination and recipient, and is the same each time', () => {
    expect(tokens.read(tokens.issue(link))).toEqual(link);
    expect(tokens.issue(link)).toBe(tokens.issue(link));
  });

  test('leaves out a recipient that would make it too long to be read', () => {
    for (const recipient of [`https://hooks.example/${'x'.repeat(2000)}`, 'ü'.repeat(320)]) {
      expect(tokens.read(tokens.issue({ ...link, recipient }))).toEqual({ ...link, recipient: '' });
    }
    const longest = { ...link, recipient: 'ü'.repeat(160) };
    expect(tokens.read(tokens.issue(longest))).toEqual(longest);
  });

  test('is worth nothing for another incident, or without the key', () => {
    const [, signature = ''] = tokens.issue(link).split('.');
    const other = tokens.issue({ ...link, incidentId: newId(3) }).split('.')[0];
    expect(tokens.read(`${other}.${signature}`)).toBeNull();
    expect(new AcknowledgeTokens([randomBytes(32)]).read(tokens.issue(link))).toBeNull();
  });
});
