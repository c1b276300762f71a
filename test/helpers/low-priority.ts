import { setPriority } from 'node:os';

// Beside faults, which suffer most from busy cores, this process and its children take what is left.
if (process.env['TEST_BESIDE_FAULTS'] === 'yes') setPriority(5);
