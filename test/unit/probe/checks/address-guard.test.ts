import { expect, test } from 'vitest';
import { addressGuard } from '../../../../probe/checks/network/address-guard.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

const PRIVATE = ['127.0.0.1', '10.0.0.1', '192.168.1.1', '::1', 'fd12::1'];
const NEVER = ['169.254.169.254', '169.254.1.1', 'fe80::1', '100.100.100.200', 'fd00:ec2::254', '::ffff:10.0.0.1', '0.0.0.0'];

test.each([
  // The operator's setting, the assignment's setting, and whether private addresses are checked.
  [null, false, false],
  [null, true, true],
  [false, true, false],
  [true, false, false],
  [true, true, true],
])('own setting %s, assignment %s: private addresses %s', (allowPrivate, assigned, expected) => {
  const isAllowed = addressGuard({ allowPrivate, allowedRanges: [], deniedRanges: [] }, new SimulatedClock());
  expect(PRIVATE.filter((ip) => isAllowed(ip, assigned))).toEqual(expected ? PRIVATE : []);
  expect(NEVER.filter((ip) => isAllowed(ip, assigned))).toEqual([]);
  expect(isAllowed('93.184.216.34', assigned)).toBe(true);
});

test.each([null, false, true])('allowed ranges are allowed, but never addresses that are always denied: %s', (allowPrivate) => {
  const allowedRanges = ['10.0.0.0/8', 'fd12::/16', '169.254.0.0/16', '0.0.0.0/8', '100.64.0.0/10', 'fe80::/10'];
  const isAllowed = addressGuard({ allowPrivate, allowedRanges, deniedRanges: [] }, new SimulatedClock());
  expect(PRIVATE.filter((ip) => isAllowed(ip, false))).toEqual(['10.0.0.1', 'fd12::1']);
  expect(NEVER.filter((ip) => isAllowed(ip, false))).toEqual([]);
});

test('a denied range takes precedence over allowed ranges and the assignment', () => {
  const allowedRanges = ['10.0.0.0/8', '93.184.0.0/16'];
  const deniedRanges = ['10.1.0.0/16', '93.184.216.0/24', '2600:1400::/32', '::1/128'];
  const isAllowed = addressGuard({ allowPrivate: true, allowedRanges, deniedRanges }, new SimulatedClock());
  for (const assigned of [undefined, false, true]) {
    const denied = ['10.1.2.3', '93.184.216.34', '2600:1400::1', '::1', '::ffff:10.1.2.3'];
    expect(denied.filter((ip) => isAllowed(ip, assigned))).toEqual([]);
    const others = ['10.2.0.1', '93.184.217.1', '2600:1401::1'];
    expect(others.filter((ip) => isAllowed(ip, assigned))).toEqual(others);
  }
});
