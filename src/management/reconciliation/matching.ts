import type { PriceName } from "#contract/usage-classes.ts"
import { makersNames } from "../../catalog/bedrock-names.ts"
import { undatedNames } from "../../catalog/dated-names.ts"
import type { BillRow } from "./bill.ts"
import type { LedgerUse } from "./ledger-uses.ts"

/** Rules for matching rows of a bill with calls. */
export interface Matching {
  /** The provider's names for its models. */
  readonly models: Iterable<string>
  /** Maps the bill's names for models to models, as defined by the operator. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
  /** Maps the bill's keys to credentials; if absent, keys are not compared. */
  readonly keys?: ReadonlyMap<string, string> | undefined
}

/** Matching rows and calls for a day, a model, a key and a class. */
export interface Match {
  readonly day: number
  readonly model: string
  readonly key: string | null
  /** The class of usage; null if all classes are combined. */
  readonly class: PriceName | null
  readonly rows: BillRow[]
  readonly uses: LedgerUse[]
}

/** Matches a bill with the ledger. Classes are matched if both sides have the same classes of a model. */
export function matchesOf(
  rows: readonly BillRow[],
  uses: readonly LedgerUse[],
  { models, aliases, keys }: Matching,
): Match[] {
  const names = new ModelNames([...models, ...uses.map(({ model }) => model)], aliases)
  const groups = new Map<string, Map<PriceName | null, Match>>()
  const matchAt = (place: Pick<Match, "day" | "model" | "key" | "class">): Match => {
    const id = JSON.stringify([place.day, place.model, place.key])
    const group = groups.get(id) ?? new Map<PriceName | null, Match>()
    groups.set(id, group)
    const match = group.get(place.class) ?? { ...place, rows: [], uses: [] }
    group.set(place.class, match)
    return match
  }
  // Fees without a model in the bill are compared for all models together.
  const fees = new Set<PriceName | null>()
  for (const row of rows) {
    const key = keys === undefined || row.key === null ? null : (keys.get(row.key) ?? row.key)
    const model = names.find(row.model, row.isDescription)
    if (model === "" && row.class !== null) fees.add(row.class)
    matchAt({ day: row.day, model, key, class: row.class }).rows.push(row)
  }
  for (const use of uses) {
    const model = fees.has(use.class) ? "" : names.find(use.model, false)
    const key = keys === undefined ? null : use.key
    matchAt({ day: use.day, model, key, class: use.class }).uses.push(use)
  }
  return [...groups.values()].flatMap((group) => joined([...group.values()]))
}

/** Combines the classes of a model, unless both sides have all of them. */
function joined(matches: Match[]): Match[] {
  const [first] = matches
  const isByClass = matches.every(
    (match) => match.class !== null && match.rows.length > 0 && match.uses.length > 0,
  )
  if (first === undefined || isByClass || matches.length === 1) return matches
  const rows = matches.flatMap((match) => match.rows)
  const uses = matches.flatMap((match) => match.uses)
  return [{ ...first, class: null, rows, uses }]
}

const WORDS = /[a-z]+|\d+/g
/** Matches word boundaries such as the one in `NovaLite`. */
const CAMEL_CASE = /(?<=[a-z])(?=[A-Z])/g

/**
 * Finds the model in a row of a bill. Names with and without a date mean the same model, because providers bill the
 * dated name. In a description such as `Claude4Sonnet-input-tokens`, the model is the longest name whose words all
 * occur.
 */
class ModelNames {
  readonly #described: readonly { readonly name: string; readonly words: readonly string[] }[]
  readonly #aliases: ReadonlyMap<string, string>
  readonly #found = new Map<string, string>()

  constructor(models: readonly string[], aliases: ReadonlyMap<string, string> = new Map()) {
    this.#described = [...new Set(models.map(undated))]
      .map((name) => ({ name, words: wordsOf(name) }))
      .filter(({ words }) => words.length > 0)
      .toSorted((left, right) => right.words.length - left.words.length)
    this.#aliases = new Map(
      [...aliases].map(([text, model]) => [text.toLowerCase(), undated(model)] as const),
    )
  }

  /**
   * Returns the model in a text.
   * @returns the text itself if it contains no known model.
   */
  find(text: string, isDescription: boolean): string {
    const alias = this.#aliases.get(text.toLowerCase())
    if (alias !== undefined) return alias
    if (!isDescription) return undated(text)
    let found = this.#found.get(text)
    if (found === undefined) {
      const words = new Set(wordsOf(`${text} ${text.replaceAll(CAMEL_CASE, " ")}`))
      found = this.#described.find((model) => model.words.every((word) => words.has(word)))?.name
      this.#found.set(text, (found ??= text))
    }
    return found
  }
}

/** Returns a model's name without its date, and without Amazon's prefix and edition. */
function undated(model: string): string {
  const name = makersNames(model)[0]?.name ?? model
  return undatedNames(name)[0] ?? name
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? []
}
