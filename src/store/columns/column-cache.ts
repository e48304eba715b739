import type { Column } from "./column.ts"

/** Assumed size in bytes of a column in which all values are zero. */
const MIN_COLUMN_BYTES = 64

/** A cache of columns with a maximum size. It evicts the least recently used columns. */
export class ColumnCache {
  readonly #columns = new Map<number, Column | undefined>()
  readonly #maxBytes: number
  #bytes = 0
  #generation = ""

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Clears the cache if the columns have changed. */
  begin(generation: string): void {
    if (generation === this.#generation) return
    this.#generation = generation
    this.#columns.clear()
    this.#bytes = 0
  }

  has(place: number): boolean {
    return this.#columns.has(place)
  }

  /** Returns several columns; undefined if any of them is not cached. Columns that are added later may evict them. */
  known(places: readonly number[]): (Column | undefined)[] | undefined {
    if (!places.every((place) => this.#columns.has(place))) return undefined
    return places.map((place) => this.take(place, () => undefined))
  }

  /**
   * Returns a column.
   * @param read reads the column if it is not cached.
   */
  take(place: number, read: () => Column | undefined): Column | undefined {
    const isKnown = this.#columns.has(place)
    const column = isKnown ? this.#columns.get(place) : read()
    if (isKnown) this.#columns.delete(place)
    else this.#bytes += sizeOf(column)
    this.#columns.set(place, column)
    if (this.#bytes > this.#maxBytes) this.#evictOldest()
    return column
  }

  #evictOldest(): void {
    for (const [place, column] of this.#columns) {
      this.#columns.delete(place)
      this.#bytes -= sizeOf(column)
      if (this.#bytes <= this.#maxBytes) return
    }
  }
}

function sizeOf(column: Column | undefined): number {
  return MIN_COLUMN_BYTES + (column?.lower.byteLength ?? 0) + (column?.upper?.byteLength ?? 0)
}
