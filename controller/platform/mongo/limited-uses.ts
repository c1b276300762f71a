import type { Db } from 'mongodb';
import { derivedId } from '../../../shared/ids.ts';
import { Documents } from './documents.ts';
import type { UseLimit, UseLimits } from './limited-uses-port.ts';

const HOUR_MS = 3_600_000;

/** A collection with one document per occupied place. Unique ids decide between simultaneous uses. */
export class LimitedUses extends Documents<{ _id: string; expires_at: number }> implements UseLimits {
  constructor(db: Db, collection: string) {
    // For removing expired places.
    super(db, collection, [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  async take(limits: readonly UseLimit[], now: number, until = now + HOUR_MS): Promise<number | null> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    const taken: string[] = [];
    for (const limit of limits) {
      const missing = await this.#occupy(limit, until, taken);
      if (missing === 0) continue;
      const others = placesOf(limit).filter((id) => !taken.includes(id));
      await this.all.deleteMany({ _id: { $in: taken } });
      const soonest = this.all.find({ _id: { $in: others } }).sort({ expires_at: 1 }).limit(missing);
      return (await soonest.toArray()).at(-1)?.expires_at ?? until;
    }
    return null;
  }

  /** Adds the places it occupies to `taken`. Returns how many it could not. */
  async #occupy(limit: UseLimit, until: number, taken: string[]): Promise<number> {
    const places = placesOf(limit);
    const occupied = new Set((await this.all.find({ _id: { $in: places } }).toArray()).map(({ _id }) => _id));
    let missing = limit.needed ?? 1;
    for (const _id of places) {
      if (missing === 0) break;
      if (occupied.has(_id) || !(await this.insertIfFree({ _id, expires_at: until }))) continue;
      taken.push(_id);
      missing -= 1;
    }
    return missing;
  }
}

function placesOf({ key, max }: UseLimit): string[] {
  return Array.from({ length: max }, (_, place) => derivedId('use', key, place));
}
