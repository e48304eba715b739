import type { Column } from "./column.ts"

/** What a column is taken to need that is nothing but zeros. */
const SMALLEST = 64

/** Columns that were read, those that were asked for last, up to so many bytes. */
export class ColumnCache {
  readonly #columns = new Map<number, Column | undefined>()
  readonly #most: number
  #bytes = 0
  #generation = ""

  /** @param most bytes. */
  constructor(most: number) {
    this.#most = most
  }

  /** Forgets all where they are not the same columns any more. */
  begin(generation: string): void {
    if (generation === this.#generation) return
    this.#generation = generation
    this.#columns.clear()
    this.#bytes = 0
  }

  has(place: number): boolean {
    return this.#columns.has(place)
  }

  /** All of some columns; undefined where one of them is not known. What is taken later may take their room. */
  known(places: readonly number[]): (Column | undefined)[] | undefined {
    if (!places.every((place) => this.#columns.has(place))) return undefined
    return places.map((place) => this.take(place, () => undefined))
  }

  /** @param read where it is not known. */
  take(place: number, read: () => Column | undefined): Column | undefined {
    const isKnown = this.#columns.has(place)
    const column = isKnown ? this.#columns.get(place) : read()
    if (isKnown) this.#columns.delete(place)
    else this.#bytes += sizeOf(column)
    this.#columns.set(place, column)
    if (this.#bytes > this.#most) this.#forgetOldest()
    return column
  }

  #forgetOldest(): void {
    for (const [place, column] of this.#columns) {
      this.#columns.delete(place)
      this.#bytes -= sizeOf(column)
      if (this.#bytes <= this.#most) return
    }
  }
}

function sizeOf(column: Column | undefined): number {
  return SMALLEST + (column?.lower.byteLength ?? 0) + (column?.upper?.byteLength ?? 0)
}
