import type { Statement } from "bun:sqlite"
import { storedAmount } from "../../accounting/maxima.ts"
import { SUM_NAMES, type SumName } from "../request-names.ts"
import { HOURS_OF_DAY, SUMS } from "../usage-sums.ts"

/** The values of a row of sums, in the order of its columns. The first one is the hour or the key. */
export type SumValues = readonly (bigint | string)[]

/** Tables with sums by single names. */
export interface NameTables {
  readonly hours: string
  readonly days: string
}

/** Number of columns in these tables: the kind of name, the hour, the name, and the sums. */
export const NAME_COLUMNS = 3 + SUMS.length

interface NameSum {
  readonly kind: SumName
  readonly hour: bigint
  readonly name: string
  readonly sums: bigint[]
}

/**
 * Maintains sums by a single name, such as an account, a key or a model. These tables have few rows, while sums by all
 * names together have nearly as many rows as there are requests.
 */
export class NameSums {
  readonly #hours: Statement<unknown, (string | bigint)[]>
  readonly #days: Statement<unknown, (string | bigint)[]>

  constructor(
    hours: Statement<unknown, (string | bigint)[]>,
    days: Statement<unknown, (string | bigint)[]>,
  ) {
    this.#hours = hours
    this.#days = days
  }

  /** @param rows hourly sums by all names. */
  add(rows: readonly SumValues[]): void {
    for (const sum of nameSumsOf(rows, 1n)) this.#hours.run(...valuesOf(sum))
    for (const sum of nameSumsOf(rows, BigInt(HOURS_OF_DAY))) this.#days.run(...valuesOf(sum))
  }
}

/**
 * Returns sums by single names.
 * @param span length in hours; each sum belongs to the first hour of its span.
 */
function nameSumsOf(rows: readonly SumValues[], span: bigint): Iterable<NameSum> {
  const found = new Map<string, NameSum>()
  for (const [first = 0n, ...values] of rows) {
    const hour = (BigInt(first) / span) * span
    const added = values.slice(SUM_NAMES.length).map(BigInt)
    for (const [place, kind] of SUM_NAMES.entries()) {
      const name = String(values[place] ?? "")
      const known = found.get(`${kind} ${hour} ${name}`)
      if (known === undefined) {
        found.set(`${kind} ${hour} ${name}`, { kind, hour, name, sums: [...added] })
      } else
        for (const [index, value] of added.entries())
          known.sums[index] = value + (known.sums[index] ?? 0n)
    }
  }
  return found.values()
}

function valuesOf({ kind, hour, name, sums }: NameSum): (string | bigint)[] {
  return [kind, hour, name, ...sums.map(storedAmount)]
}
