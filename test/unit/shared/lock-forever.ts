import { lockDirectory } from '../../../shared/directory-lock.ts';

/** Locks the directory in the first argument, prints the outcome, and stays if it has the lock. */
await lockDirectory(process.argv[2] ?? '').then(
  () => {
    console.log('locked');
    setInterval(() => {}, 1000);
  },
  (error: Error) => console.log(error.message),
);
