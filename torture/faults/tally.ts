/** Counts events by name, in the order of their first occurrence. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  get entries(): readonly (readonly [string, number])[] {
    return [...this.#counts]
  }
}
