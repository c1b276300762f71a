import { MongoServerError } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isDatabaseUnavailable, writeAllOrEach } from '../../../controller/platform/mongo/mongo-errors.ts';

test.each([
  'EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END',
])('a socket error %s means that the database is unavailable', (code) => {
  expect(isDatabaseUnavailable(Object.assign(new Error('write'), { code }))).toBe(true);
});

test.each([
  new Error('a fault of ours'), new MongoServerError({ code: 11000, message: 'duplicate' }), 'text', null,
])('%s does not mean that the database is unavailable', (error) => expect(isDatabaseUnavailable(error)).toBe(false));

describe('items written together', () => {
  const aboutItems = new Error('bad item');

  /** Writes `items`, although the database refuses those in `bad`; returns each call and the items set aside. */
  async function written(items: string[], bad: string[], error = aboutItems) {
    const calls: string[][] = [];
    const aside: string[] = [];
    await writeAllOrEach(items, {
      write: (some) => {
        calls.push(some);
        return some.some((item) => bad.includes(item)) ? Promise.reject(error) : Promise.resolve();
      },
      isAboutItems: (found) => found === aboutItems,
      setAside: (item) => void aside.push(item),
    });
    return { calls, aside };
  }

  test('are written once if all succeed', async () => {
    expect(await written(['a', 'b'], [])).toEqual({ calls: [['a', 'b']], aside: [] });
  });

  test('are written one by one if one of them fails, and only that one is set aside', async () => {
    expect(await written(['a', 'b', 'c'], ['b']))
      .toEqual({ calls: [['a', 'b', 'c'], ['a'], ['b'], ['c']], aside: ['b'] });
  });

  test('are not retried if there is only one', async () => {
    expect(await written(['b'], ['b'])).toEqual({ calls: [['b']], aside: ['b'] });
  });

  test('fail together if no item caused the error', async () => {
    await expect(written(['a', 'b'], ['b'], new Error('no response'))).rejects.toThrow('no response');
  });
});
