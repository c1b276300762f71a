import { readFile } from 'node:fs/promises';
import { createCurve, createUser, fromCurveSeed, fromSeed, type KeyPair } from 'nkeys.js';
import { z } from 'zod';
import { enrolAnswer, type EnrolAnswer } from '../../shared/contracts/enrolment.ts';
import { writeFileSafely } from '../storage/write-file-safely.ts';

const identityFile = z.object({
  v: z.literal(1),
  /** Seeds of the NATS user nkey and of the curve key that assignments are sealed to. They never leave this file. */
  user_seed: z.string(),
  box_seed: z.string(),
  answer: enrolAnswer,
});

/** Who a probe is: its keys, and what it was told when it enrolled. */
export interface Identity {
  user: KeyPair;
  box: KeyPair;
  answer: EnrolAnswer;
}

/** A new pair of keys, for an enrolment. */
export function createKeys(): Pick<Identity, 'user' | 'box'> {
  return { user: createUser(), box: createCurve() };
}

/** Null when there is none yet. Throws when the file is there and cannot be used: nobody but a person may replace it. */
export async function loadIdentity(path: string): Promise<Identity | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const file = identityFile.parse(JSON.parse(text));
  return { user: fromSeed(Buffer.from(file.user_seed)), box: fromCurveSeed(Buffer.from(file.box_seed)), answer: file.answer };
}

/** Writes the identity so that only its owner can read it. */
export async function saveIdentity(path: string, identity: Identity): Promise<void> {
  const seedOf = (pair: KeyPair): string => Buffer.from(pair.getSeed()).toString('utf8');
  const file = { v: 1, user_seed: seedOf(identity.user), box_seed: seedOf(identity.box), answer: identity.answer };
  await writeFileSafely(path, `${JSON.stringify(file)}\n`);
}
