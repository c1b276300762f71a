import { expect, test } from 'vitest';
import { fullAddress, nameOfAddress } from '../../../controller/console/app/editing/typed-text.ts';

test.each([
  ['shop.example', 'https://shop.example', 'shop.example'],
  [' shop.example/start/?x=1#top ', 'https://shop.example/start/?x=1#top', 'shop.example/start'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/', '127.0.0.1:8080'],
  ['https://user:secret@shop.example', 'https://user:secret@shop.example', 'shop.example'],
  ['', '', ''],
])('%j becomes %j, named %j', (typed, address, name) => {
  expect(fullAddress(typed)).toBe(address);
  expect(nameOfAddress(address)).toBe(name);
});
