import { readFile } from 'node:fs/promises';
import { createCurve, createUser, fromCurveSeed, fromSeed, type KeyPair } from 'nkeys.js';
import { z } from 'zod';
import { enrolResponse, type EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { writeFileSafely } from '../../shared/write-file-safely.ts';

const seeds = z.object({
  /**
   * Seeds of the NATS user nkey and of the curve key that assignments are sealed to. They never leave this
   * file.
   */
  user_seed: z.string(),
  box_seed: z.string(),
});
const keysFile = seeds.extend({ v: z.literal(1) });
const identityFile = keysFile.extend({
  enrolment: enrolResponse,
  /** Where the probe enrolled. */
  controller_url: z.string(),
  next: seeds.optional(),
  former: seeds.optional(),
});

export interface ProbeKeys {
  user: KeyPair;
  box: KeyPair;
}

/** A probe's keys and its enrolment response. */
export interface Identity extends ProbeKeys {
  enrolment: EnrolResponse;
  /** Where the probe enrolled. */
  controllerUrl: string;
  /** Offered to the controllers, not in use yet. */
  next?: ProbeKeys;
  /** No longer in use, but the controllers may not know that yet. */
  former?: ProbeKeys;
}

/** Null if there is none yet. Throws if the file exists but is unusable: only a person may replace it. */
export async function loadIdentity(path: string): Promise<Identity | null> {
  const text = await readIfThere(path);
  if (text === null) return null;
  const { enrolment, controller_url, next, former, ...own } = identityFile.parse(JSON.parse(text));
  return {
    ...keysOf(own), enrolment, controllerUrl: controller_url,
    ...(next && { next: keysOf(next) }), ...(former && { former: keysOf(former) }),
  };
}

/** Writes the identity, readable only by its owner. */
export async function saveIdentity(path: string, identity: Identity): Promise<void> {
  const { enrolment, controllerUrl, next, former } = identity;
  const file: z.infer<typeof identityFile> = {
    v: 1, ...seedsOf(identity), enrolment, controller_url: controllerUrl,
    ...(next && { next: seedsOf(next) }), ...(former && { former: seedsOf(former) }),
  };
  await writeFileSafely(path, `${JSON.stringify(file)}\n`);
}

/**
 * The keys to enrol with, saved since the first attempt: the controller may have accepted them although its
 * response was lost.
 */
export async function enrolmentKeys(path: string): Promise<ProbeKeys> {
  const saved = keysFile.safeParse(parseJson(await readIfThere(path)));
  if (saved.success) return keysOf(saved.data);
  const keys = newKeys();
  await writeFileSafely(path, `${JSON.stringify({ v: 1, ...seedsOf(keys) })}\n`);
  return keys;
}

export function newKeys(): ProbeKeys {
  return { user: createUser(), box: createCurve() };
}

function keysOf(file: z.infer<typeof seeds>): ProbeKeys {
  return { user: fromSeed(Buffer.from(file.user_seed)), box: fromCurveSeed(Buffer.from(file.box_seed)) };
}

function seedsOf(keys: ProbeKeys): z.infer<typeof seeds> {
  const seedOf = (pair: KeyPair): string => Buffer.from(pair.getSeed()).toString('utf8');
  return { user_seed: seedOf(keys.user), box_seed: seedOf(keys.box) };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
