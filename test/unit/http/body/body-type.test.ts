import { describe, expect, test } from 'vitest';
import { JSON_TYPE } from '../../../../controller/http/body/body.ts';

describe('Content-Type of a body', () => {
  test.each([
    'application/json', 'Application/JSON ', 'application/json;', 'application/json ; charset=UTF-8',
    'application/json;charset = "utf-8" ; ',
  ])('accepts %j', (type) => expect(JSON_TYPE.test(type)).toBe(true));

  test.each([
    '', 'application/jsonx', 'application/json; charset=utf-16', 'application/json;;', 'text/json', 'x application/json',
    'application/json; charset=utf-8; charset=utf-8',
  ])('rejects %j', (type) => expect(JSON_TYPE.test(type)).toBe(false));

  // Quadratic time would take minutes.
  test.each(['', ';', '; charset=utf-8', '; charset='])('rejects endless spaces after %j in linear time', (start) => {
    expect(JSON_TYPE.test(`application/json${start}${' '.repeat(1_000_000)}x`)).toBe(false);
  });
});
