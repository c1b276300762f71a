import { seedsPass } from '../simulation/seeds-pass.ts';

seedsPass(100, 50);
