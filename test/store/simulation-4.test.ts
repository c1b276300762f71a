import { seedsPass } from '../simulation/seeds-pass.ts';

seedsPass(400, 50);
