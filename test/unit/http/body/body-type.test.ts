import { describe, expect, test } from 'vitest';
import { JSON_TYPE } from '../../../../controller/http/body/body.ts';

describe('the Content-Type of a body', () => {
  test.each([
    'application/json', 'Application/JSON ', 'application/json;', 'application/json ; charset=UTF-8',
    'application/json;charset = "utf-8" ; ',
  ])('may be %j', (type) => expect(JSON_TYPE.test(type)).toBe(true));

  test.each([
    '', 'application/jsonx', 'application/json; charset=utf-16', 'application/json;;', 'text/json', 'x application/json',
    'application/json; charset=utf-8; charset=utf-8',
  ])('must not be %j', (type) => expect(JSON_TYPE.test(type)).toBe(false));

  // Minutes, if the time were quadratic.
  test.each(['', ';', '; charset=utf-8', '; charset='])('with endless space after %j is refused in linear time', (start) => {
    expect(JSON_TYPE.test(`application/json${start}${' '.repeat(1_000_000)}x`)).toBe(false);
  });
});
