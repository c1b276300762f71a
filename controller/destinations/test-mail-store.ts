import type { Db } from 'mongodb';
import { derivedId } from '../../shared/ids.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { freeAgainAt, TEST_WINDOW_MS, type TestLimit } from './test-mail-rules.ts';

/** Collection `test_mails`: one document per place that a test mail of the last hour occupies. */
export class TestMailStore extends Documents<{ _id: string; expires_at: number }> {
  constructor(db: Db) {
    // Removes expired places.
    super(db, 'test_mails', [{ key: { expires_at: 1 }, name: 'by_expiry' }]);
  }

  /**
   * Occupies all places that the limits require, or none. Returns null on success, else when enough places
   * may be free, Unix ms. Unique ids decide between simultaneous claims.
   */
  async claim(limits: TestLimit[], now: number): Promise<number | null> {
    await this.all.deleteMany({ expires_at: { $lte: now } });
    const taken: string[] = [];
    for (const limit of limits) {
      if (await this.#take(limit, now, taken)) continue;
      const others = placesOf(limit).filter((id) => !taken.includes(id));
      const held = await this.all.find({ _id: { $in: others } }).toArray();
      await this.all.deleteMany({ _id: { $in: taken } });
      return freeAgainAt(limit, held.map((place) => place.expires_at), now);
    }
    return null;
  }

  async #take(limit: TestLimit, now: number, taken: string[]): Promise<boolean> {
    const places = placesOf(limit);
    const held = await this.all.find({ _id: { $in: places } }).project<{ _id: string }>({ _id: 1 }).toArray();
    const isHeld = new Set(held.map((place) => place._id));
    let missing = limit.needed;
    for (const _id of places) {
      if (missing === 0) break;
      if (isHeld.has(_id) || !(await this.insertIfFree({ _id, expires_at: now + TEST_WINDOW_MS }))) continue;
      taken.push(_id);
      missing -= 1;
    }
    return missing === 0;
  }
}

function placesOf({ key, max }: TestLimit): string[] {
  return Array.from({ length: max }, (_, place) => derivedId('test mail', key, place));
}
