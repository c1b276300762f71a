import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../../shared/time.ts';
import { queueRefusal } from '../../http/limits/rate-limit.ts';
import { FairQueue } from '../../work/fair-queue.ts';

/**
 * N = 2^15, r = 8, p = 3: of the scrypt configurations that OWASP's Password Storage Cheat Sheet considers
 * equivalent, one that leaves an installation with 300 MB room for two sign-ins.
 */
export const PASSWORD_COST = {
  /** Binary logarithm of scrypt's N. */
  logN: 15,
  /** scrypt's p. */
  parallel: 3,
  /** Each computation takes 2^(logN + 10) bytes. */
  maxConcurrent: 2,
  /** Further computations are refused with SERVICE_UNAVAILABLE. */
  maxWaiting: 64,
  /** Limit per client address; further computations are refused with RATE_LIMIT_EXCEEDED. */
  maxWaitingOfAddress: 16,
};
export type PasswordCost = typeof PASSWORD_COST;

/** Longer than a full queue takes. */
const MAX_WAIT_MS = 20_000;
/** For client addresses at their limit. */
const RETRY_AFTER_SECONDS = 5;

const BLOCK = 8;
const LENGTH = 32;

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/**
 * Hashes passwords with scrypt to `scrypt$logN$r$p$salt$key`, where salt and key are base64url. Client
 * addresses take turns, so that none delays the others.
 */
export class PasswordHasher {
  readonly #cost: PasswordCost;
  readonly #queue: FairQueue;

  constructor(clock: Clock, cost = PASSWORD_COST) {
    this.#cost = cost;
    const { maxConcurrent, maxWaiting, maxWaitingOfAddress } = cost;
    const limits = {
      maxRunning: maxConcurrent, maxRunningPerKey: maxConcurrent, maxWaiting,
      maxWaitingPerKey: maxWaitingOfAddress, maxWaitMs: MAX_WAIT_MS,
    };
    this.#queue =
      new FairQueue(clock, limits, queueRefusal(RETRY_AFTER_SECONDS, 'Too many sign-ins at once; try again'));
  }

  /** Computations refused since startup. */
  get refused(): number {
    return this.#queue.refused;
  }

  /** `address` is the client's. Throws RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE. */
  async hash(password: string, address: string): Promise<string> {
    const salt = randomBytes(16);
    const { logN, parallel } = this.#cost;
    const key = await this.#queue.run(address, () => derive(password, salt, [logN, BLOCK, parallel]));
    return ['scrypt', logN, BLOCK, parallel, salt.toString('base64url'), key.toString('base64url')].join('$');
  }

  /**
   * Pass null for an unknown account: it takes as long, so the timing reveals nothing. Throws as `hash` does.
   */
  async verify(password: string, hash: string | null, address: string): Promise<boolean> {
    const dummyHash = `scrypt$${this.#cost.logN}$${BLOCK}$${this.#cost.parallel}$AAAAAAAAAAAAAAAAAAAAAA$`;
    const [, logN, r, p, salt = '', key = ''] = (hash ?? dummyHash).split('$');
    const salted = Buffer.from(salt, 'base64url');
    const cost = [Number(logN), Number(r), Number(p)] as const;
    const derived = await this.#queue.run(address, () => derive(password, salted, cost));
    const stored = Buffer.from(key, 'base64url');
    return stored.length === derived.length && timingSafeEqual(stored, derived);
  }
}

async function derive(
  password: string, salt: Buffer, [logN, r, p]: readonly [logN: number, r: number, p: number],
): Promise<Buffer> {
  const N = 2 ** logN;
  return deriveKey(password.normalize('NFKC'), salt, LENGTH, { N, r, p, maxmem: 256 * N * r });
}
