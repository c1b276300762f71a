import { seedsPass } from '../simulation/seeds-pass.ts';

seedsPass(300, 50);
