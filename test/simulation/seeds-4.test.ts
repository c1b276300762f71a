import { seedsPass } from './seeds-pass.ts';

seedsPass(400, 50);
