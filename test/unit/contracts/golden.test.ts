import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { liveEventMessage } from '../../../controller/events/event.ts';
import {
  assignmentDelta, runOrder, signedEnvelope, signedText, syncRequest,
} from '../../../shared/contracts/assignment.ts';
import { beat } from '../../../shared/contracts/beat.ts';
import { isSpecOf } from '../../../shared/contracts/check-spec.ts';
import { enrolResponse, enrolRequest, enrolText } from '../../../shared/contracts/enrolment.ts';
import { evidence } from '../../../shared/contracts/evidence.ts';
import { meshOrder } from '../../../shared/contracts/mesh.ts';
import { rotateOrder, rotateResponse, rotationText } from '../../../shared/contracts/key-rotation.ts';
import { batchResponse, type ResultBatch } from '../../../shared/contracts/result.ts';
import { decodeBatch, encodeBatch } from '../../../shared/contracts/result-pack.ts';

/** Messages sent by version 1. Never edit these files: a version that can't read them breaks installations. */
const folder = join(import.meta.dirname, '../../fixtures/contracts/v1');
const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
const sample = (name: string): unknown => JSON.parse(text(`${name}.json`));

const whole: [name: string, schema: z.ZodType][] = [
  ['batch-response', batchResponse], [
    'beat', beat,
  ], ['assignment-delta', assignmentDelta], ['assignment-delta-of-the-future', assignmentDelta],
  ['beat-with-mesh', beat], ['mesh-order', meshOrder], ['run-order', runOrder], ['signed-envelope', signedEnvelope], ['enrol-request', enrolRequest],
  ['enrol-response', enrolResponse], ['rotate-order', rotateOrder], ['rotate-response', rotateResponse],
];

describe('a message of version 1:', () => {
  for (const [name, schema] of whole) {
    test(`${name} is parsed with every field`, () => {
      expect(schema.parse(sample(name))).toEqual(sample(name));
    });

    test(`${name} is rejected when a field has the wrong type`, () => {
      const message = sample(name) as Record<string, unknown>;
      for (const field of Object.keys(message)) {
        expect(schema.safeParse({ ...message, [field]: { $gt: '' } }).success, field).toBe(false);
      }
    });
  }

  test('a live event is parsed with every field, and rejected if one has the wrong type', () => {
    const message = sample('live-event') as Record<string, unknown>;
    expect(liveEventMessage.parse(message)).toEqual(message);
    for (const field of Object.keys(message)) {
      expect(liveEventMessage.safeParse({ ...message, [field]: [] }).success, field).toBe(false);
    }
  });

  test('evidence is parsed with every field, and rejected if one has the wrong type', () => {
    const message = sample('evidence') as Record<string, unknown>;
    expect(evidence.parse(message)).toEqual(message);
    for (const field of Object.keys(message)) {
      expect(evidence.safeParse({ ...message, [field]: 1.5 }).success, field).toBe(false);
    }
  });

  test('a sync request without "after" starts at the beginning', () => {
    expect(syncRequest.parse(sample('sync-request'))).toEqual({ v: 1, revision: 6, after: null });
  });

  test('an assignment of an unknown type keeps its fields', () => {
    const delta = assignmentDelta.parse(sample('assignment-delta-of-the-future'));
    const change = delta.changes[0];
    const spec = change && 'set' in change ? change.set.spec : null;
    expect(spec).toEqual({ type: 'QUIC', anything: { goes: 1 } });
    expect(spec && isSpecOf(spec, 'HTTP')).toBe(false);
  });

  test('an HTTP assignment with unknown settings does not count as HTTP, and is preserved in full for a newer version', () => {
    const order = sample('run-order') as { assignment: { spec: Record<string, unknown> } };
    for (const [field, value] of [
      ['url', undefined], ['method', 'QUERY'], ['expected_status', 'any'],
    ] as const) {
      const parsed = runOrder.parse({
        ...order, assignment: { ...order.assignment, spec: { ...order.assignment.spec, [field]: value } },
      });
      expect(isSpecOf(parsed.assignment.spec, 'HTTP'), field).toBe(false);
      const stored = JSON.parse(JSON.stringify(parsed)) as typeof order;
      stored.assignment.spec[field] = order.assignment.spec[field];
      const later = runOrder.parse(stored);
      expect(isSpecOf(later.assignment.spec, 'HTTP')).toBe(true);
      expect(later).toEqual(order);
    }
  });

  test('signed bytes never change', () => {
    expect(signedText(signedEnvelope.parse(sample('signed-envelope')))).toBe(
      'assign\np1\n8\n1760086400000\nc2VhbGVk',
    );
    expect(enrolText(enrolRequest.parse(sample('enrol-request')))).toBe(
      `fwp_0123456789abcdef\nU${'A'.repeat(55)}\nX${'B'.repeat(55)}\n0123456789abcdef`,
    );
    const { next } = rotateResponse.parse(sample('rotate-response'));
    expect(next && rotationText('p1', `U${'A'.repeat(55)}`, next)).toBe(
      `rotate\np1\nU${'A'.repeat(55)}\nU${'C'.repeat(55)}\nX${'D'.repeat(55)}`,
    );
  });

  test('a batch in JSON is parsed, without fields unknown to this version', () => {
    expect(decodeBatch(Buffer.from(text('result-batch.json')))).toEqual(sample('result-batch-decoded'));
  });

  test('a packed batch is parsed, and encodes to the same bytes', () => {
    const packed = Buffer.from(text('result-batch-packed.hex').replaceAll('\n', ''), 'hex');
    expect(decodeBatch(packed)).toEqual(sample('result-batch-decoded'));
    expect(Buffer.from(encodeBatch(sample('result-batch-decoded') as ResultBatch)).toString('hex')).toBe(
      packed.toString('hex'),
    );
  });
});
