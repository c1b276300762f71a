import { seedsPass } from './seeds-pass.ts';

seedsPass(200, 50);
