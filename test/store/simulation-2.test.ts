import { seedsPass } from '../simulation/seeds-pass.ts';

seedsPass(200, 50);
