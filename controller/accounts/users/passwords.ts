import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../../shared/errors.ts';

/** N = 2^17, r = 8, p = 1: the first choice of OWASP's Password Storage Cheat Sheet for scrypt. */
export const PASSWORD_COST = {
  /** Binary logarithm of scrypt's N. */
  logN: 17,
  /** Computations at once; each takes 2^(logN + 10) bytes. */
  maxConcurrent: 2,
  /** Computations that may wait; more are refused with SERVICE_UNAVAILABLE. */
  maxWaiting: 64,
};
export type PasswordCost = typeof PASSWORD_COST;

const BLOCK = 8;
const PARALLEL = 1;
const LENGTH = 32;

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Hashes passwords with scrypt, as `scrypt$logN$r$p$salt$key`; salt and key are in base64url. */
export class PasswordHasher {
  readonly #cost: PasswordCost;
  readonly #limit: LimitFunction;

  constructor(cost = PASSWORD_COST) {
    this.#cost = cost;
    this.#limit = pLimit(cost.maxConcurrent);
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const { logN } = this.#cost;
    const key = await this.#derive(password, salt, logN, BLOCK, PARALLEL);
    return ['scrypt', logN, BLOCK, PARALLEL, salt.toString('base64url'), key.toString('base64url')].join('$');
  }

  /** Whether `hash` is of `password`. Null takes as long as a hash, so that the time reveals no account. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const nobody = `scrypt$${this.#cost.logN}$${BLOCK}$${PARALLEL}$AAAAAAAAAAAAAAAAAAAAAA$`;
    const [, logN, r, p, salt = '', key = ''] = (hash ?? nobody).split('$');
    const salted = Buffer.from(salt, 'base64url');
    const derived = await this.#derive(password, salted, Number(logN), Number(r), Number(p));
    const stored = Buffer.from(key, 'base64url');
    return stored.length === derived.length && timingSafeEqual(stored, derived);
  }

  async #derive(password: string, salt: Buffer, logN: number, r: number, p: number): Promise<Buffer> {
    if (this.#limit.pendingCount >= this.#cost.maxWaiting) {
      throw new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once, please try again');
    }
    const N = 2 ** logN;
    const options = { N, r, p, maxmem: 256 * N * r };
    return this.#limit(() => deriveKey(password.normalize('NFKC'), salt, LENGTH, options));
  }
}
