import { afterAll, beforeAll, describe } from 'vitest';
import { Attack } from './attack.ts';
import { fatHour } from './fat-hour.ts';
import { floods } from './floods.ts';
import { poison } from './poison.ts';
import { privateTargets } from './private-targets.ts';

let attack: Attack;
const on = {
  get attack() {
    return attack;
  },
};
beforeAll(async () => {
  // The victim's targets are on this machine, and its probe allows their range.
  attack = await Attack.start({ PROBE_ALLOW_PRIVATE: 'false', PROBE_ALLOW_CIDRS: '127.0.0.0/8' });
});
afterAll(() => attack?.stop());

// First, because it asserts that the attacker has no incidents.
describe('private targets', () => privateTargets(on));
describe('poison', () => poison(on));
describe('a fat hour', () => fatHour(on));
describe('floods', () => floods(on));
