import { makersNames } from "../../catalog/bedrock-names.ts"
import { undatedNames } from "../../catalog/dated-names.ts"

const WORDS = /[a-z]+|\d+/g

/**
 * Finds the model that a bill names. Names with and without a date are those of one model, since a provider bills under
 * the dated name; a text such as `Claude4Sonnet-input-tokens` names the model most of whose words it has.
 */
export class ModelNames {
  readonly #described: readonly { readonly name: string; readonly words: readonly string[] }[]
  /** The operator's own names of models, by the text of the bill in lowercase. */
  readonly #aliases: ReadonlyMap<string, string>
  readonly #found = new Map<string, string>()

  /** @param models the provider's names of models that can be meant. */
  constructor(models: Iterable<string>, aliases: ReadonlyMap<string, string> = new Map()) {
    const names = new Set([...models].map(undated))
    this.#described = [...names]
      .map((name) => ({ name, words: wordsOf(name) }))
      .filter(({ words }) => words.length > 0)
      .toSorted((left, right) => right.words.length - left.words.length)
    this.#aliases = new Map(
      [...aliases].map(([text, model]) => [text.toLowerCase(), undated(model)] as const),
    )
  }

  /** @returns the text itself if it names none. */
  find(text: string, isDescription: boolean): string {
    const alias = this.#aliases.get(text.toLowerCase())
    if (alias !== undefined) return alias
    if (!isDescription) return undated(text)
    let found = this.#found.get(text)
    if (found === undefined) {
      const words = new Set(wordsOf(text))
      found = this.#described.find((model) => model.words.every((word) => words.has(word)))?.name
      this.#found.set(text, (found ??= text))
    }
    return found
  }
}

/** A model's name without its date, and without Amazon's prefix and edition. */
export function undated(model: string): string {
  const [makers] = makersNames(model)
  const name = makers?.name ?? model
  return undatedNames(name)[0] ?? name
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORDS) ?? []
}
