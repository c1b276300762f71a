import { seedsPass } from './seeds-pass.ts';

seedsPass(100, 50);
