import { relative } from 'node:path';
import { expect } from 'vitest';
import { isNullFree } from '../null-free.mjs';
import { root } from '../root.mjs';

// Runs before each test file. `testMongo` reads the variable.
const file = relative(`${root}/test`, expect.getState().testPath ?? '');
process.env['TEST_NULL_FREE'] = isNullFree(file) ? 'yes' : 'no';
