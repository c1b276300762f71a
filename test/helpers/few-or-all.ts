/** `few` in `npm test`; `all` in `npm run test:long`, which sets TEST_LONG. */
export function fewOrAll<T>(few: T, all: T): T {
  return process.env['TEST_LONG'] === 'yes' ? all : few;
}
