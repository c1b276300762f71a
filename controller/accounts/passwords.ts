import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';

export interface PasswordCost {
  /** Binary logarithm of scrypt's N. */
  logN: number;
  /** How many are computed at once; each takes 2^(logN + 10) bytes. */
  maxConcurrent: number;
  /** How many may wait; more are refused with SERVICE_UNAVAILABLE. */
  maxWaiting: number;
}

/** N = 2^17, r = 8, p = 1: the first choice of OWASP's Password Storage Cheat Sheet for scrypt. */
export const PASSWORD_COST: PasswordCost = { logN: 17, maxConcurrent: 2, maxWaiting: 64 };

const BLOCK = 8;
const PARALLEL = 1;
const LENGTH = 32;

/** Hashes passwords with scrypt. A hash reads `scrypt$logN$r$p$salt$key`, the last two in base64url. */
export class PasswordHasher {
  readonly #cost: PasswordCost;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost: PasswordCost = PASSWORD_COST) {
    this.#cost = cost;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    const key = await this.#derive(password, salt, this.#cost.logN, BLOCK, PARALLEL);
    return ['scrypt', this.#cost.logN, BLOCK, PARALLEL, salt.toString('base64url'), key.toString('base64url')].join('$');
  }

  /** Whether `password` made `hash`. With null it is false after the same time, so that nobody learns who has an account. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const [, logN, r, p, salt, key] = (hash ?? `scrypt$${this.#cost.logN}$${BLOCK}$${PARALLEL}$AAAAAAAAAAAAAAAAAAAAAA$`).split('$');
    const derived = await this.#derive(password, Buffer.from(salt ?? '', 'base64url'), Number(logN), Number(r), Number(p));
    const stored = Buffer.from(key ?? '', 'base64url');
    return stored.length === derived.length && timingSafeEqual(stored, derived);
  }

  async #derive(password: string, salt: Buffer, logN: number, r: number, p: number): Promise<Buffer> {
    await this.#enter();
    try {
      const N = 2 ** logN;
      return await scryptAsync(password.normalize('NFKC'), salt, { N, r, p, maxmem: 256 * N * r });
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #enter(): Promise<void> {
    if (this.#running < this.#cost.maxConcurrent) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#cost.maxWaiting) {
      return Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once, please try again'));
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

function scryptAsync(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, LENGTH, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
