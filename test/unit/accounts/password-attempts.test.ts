import { expect, test } from 'vitest';
import { PasswordAttempts } from '../../../controller/accounts/users/password-attempts.ts';
import { AppError } from '../../../controller/errors/app-error.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const setUp = (rateLimit = 1000) => {
  const clock = new SimulatedClock();
  return { clock, attempts: new PasswordAttempts(clock, rateLimit) };
};
/** Returns how many of the attempts are allowed. */
function allowed(count: number, attempt: (at: number) => void): number {
  let passed = 0;
  for (let at = 0; at < count; at += 1) {
    try {
      attempt(at);
      passed += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
      expect((error as AppError).retryAfterSeconds).toBeGreaterThan(0);
    }
  }
  return passed;
}

test('each address gets a fifth of the rate limit per 15 minutes, independent of other addresses', async () => {
  const { clock, attempts } = setUp();
  expect(allowed(300, () => attempts.takeAddress('a'))).toBe(200);
  expect(allowed(1, () => attempts.takeAddress('b'))).toBe(1);
  expect(attempts.refused).toBe(100);
  await clock.advance(15 * 60_000);
  expect(allowed(1, () => attempts.takeAddress('a'))).toBe(1);
});

test('the /64 networks of one /56 share four times the limit of an address', () => {
  const { attempts } = setUp();
  const inNetwork = (at: number) => `ip:2001:db8:0:${at.toString(16)}::/64`;
  expect(allowed(300, () => attempts.takeAddress(inNetwork(0)))).toBe(200);
  expect(allowed(1000, (at) => attempts.takeAddress(inNetwork(at % 256)))).toBe(600);
  expect(allowed(1, () => attempts.takeAddress(inNetwork(256)))).toBe(1);
});

test('many addresses can use up the attempts of an account, but a single address cannot', () => {
  const { attempts } = setUp();
  expect(allowed(50, () => attempts.takeAccount('a', 'x@example.com'))).toBe(20);
  expect(allowed(1, () => attempts.takeAccount('b', 'x@example.com'))).toBe(1);
  expect(allowed(200, (at) => attempts.takeAccount(`c${at}`, 'x@example.com'))).toBe(79);
  expect(allowed(1, () => attempts.takeAccount('b', 'y@example.com'))).toBe(1);
});

test('guesses from elsewhere do not lock an account out of an address where it has signed in before', () => {
  const { attempts } = setUp();
  attempts.takeAccount('home', 'x@example.com');
  attempts.succeeded('home', 'x@example.com');
  expect(allowed(200, (at) => attempts.takeAccount(`c${at}`, 'x@example.com'))).toBe(100);
  expect(allowed(1, () => attempts.takeAccount('elsewhere', 'x@example.com'))).toBe(0);
  expect(allowed(30, () => attempts.takeAccount('home', 'x@example.com'))).toBe(20);
});

test('correct passwords do not count as attempts', () => {
  const { attempts } = setUp();
  expect(allowed(500, () => {
    attempts.takeAccount('a', 'x@example.com');
    attempts.succeeded('a', 'x@example.com');
  })).toBe(500);
});

test('a low rate limit still allows ten attempts', () => {
  const { attempts } = setUp(1);
  expect(allowed(20, () => attempts.takeAddress('a'))).toBe(10);
});
