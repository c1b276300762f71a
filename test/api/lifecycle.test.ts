import { expect, test } from 'vitest';
import { makeApp } from '../helpers/make-app.ts';

test('every part of a controller with a stop method is registered in its lifecycle', async () => {
  const app = await makeApp();
  const { lifecycle, stores: _stores, edge: _edge, ...rooms } = app.controller;
  const missing = Object.entries(rooms).flatMap(([name, room]) => {
    if (room === null) return [];
    if (hasStop(room)) return lifecycle.has(room) ? [] : [name];
    const parts = Object.entries(room as Record<string, unknown>).filter(([, part]) => hasStop(part));
    return parts.filter(([, part]) => !lifecycle.has(part)).map(([part]) => `${name}.${part}`);
  });
  expect(missing).toEqual([]);
  await app.close();
});

function hasStop(value: unknown): boolean {
  return typeof (value as { stop?: unknown } | null)?.stop === 'function';
}
