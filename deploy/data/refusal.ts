/** Why a command did nothing, for the person who gave it. The command exits with code 2. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
