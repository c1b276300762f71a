import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box.ts';
import type { DataKeyDoc, DataKeyStore } from './store.ts';

/** Instead of a former key in SECRETS_KEY: nobody has it any more. */
export const LOST = 'lost';
const ID = 'secrets';

/** SECRETS_KEY does not open the secrets in the database. */
export class WrongSecretsKey extends Error {
  constructor(problem: string) {
    super(`Farwatch cannot start: ${problem}. To replace a key, set SECRETS_KEY to the new key, a comma and the `
      + `former key. If the former key is lost, write ${LOST} in its place; then enter the value of every secret `
      + 'variable again');
    this.name = 'WrongSecretsKey';
  }
}

interface DataKeySources {
  keys: DataKeyStore;
  /** Those in SECRETS_KEY: the first one seals, and all open. */
  settings: readonly string[];
  /** The keys in the database, for installations without SECRETS_KEY. */
  ringKeys(): Promise<Buffer[]>;
}

/**
 * The box for secrets in the database. Its key is stored too, sealed with SECRETS_KEY or the key ring, so
 * that a new SECRETS_KEY replaces one document. Throws WrongSecretsKey.
 */
export async function openSecretBox(sources: DataKeySources): Promise<SecretBox> {
  const { keys, settings } = sources;
  const outer = settings.filter((key) => key !== LOST).map((key) => SecretBox.of(key));
  const ringBoxes = async () => (await sources.ringKeys()).map((key) => new SecretBox(key));
  const [first = (await ringBoxes())[0] as SecretBox] = outer;
  const sealed_by: DataKeyDoc['sealed_by'] = outer.length > 0 ? 'SECRETS_KEY' : 'key_ring';
  const sealedWithFirst = (key: string) => ({ sealed: first.seal(key, ID), sealed_by });
  for (;;) {
    const stored = await keys.find(ID);
    if (stored === null) {
      await keys.insertIfFree({ _id: ID, ...sealedWithFirst(newKey()) });
      continue;
    }
    const boxes = stored.sealed_by === 'SECRETS_KEY' ? outer : await ringBoxes();
    const found = boxes.map((box) => box.open(stored.sealed, ID)).find((key) => key !== null);
    const isLost = found === undefined;
    if (isLost && !settings.includes(LOST)) throw new WrongSecretsKey(problemOf(stored, outer.length > 0));
    const isFirst = !isLost && first.open(stored.sealed, ID) !== null;
    const key = found ?? newKey();
    if (isFirst || (await keys.replace(stored, sealedWithFirst(key)))) {
      return new SecretBox(Buffer.from(key, 'base64'));
    }
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function problemOf({ sealed_by: sealedBy }: DataKeyDoc, isSet: boolean): string {
  if (sealedBy === 'key_ring') return 'the key ring in the database cannot open the secrets in it';
  if (!isSet) return 'SECRETS_KEY must be set, because the secrets in the database are encrypted with it';
  return 'SECRETS_KEY is not the key with which the secrets in the database are encrypted';
}
