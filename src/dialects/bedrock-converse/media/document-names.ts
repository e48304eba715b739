const MAX_LENGTH = 190
/** Maximum characters of a name that are read. It exceeds `MAX_LENGTH`, because some characters are dropped. */
const MAX_READ = MAX_LENGTH + 64

/**
 * Creates unique names for a request's documents in the form that Converse requires: letters, digits, single spaces,
 * hyphens, parentheses and brackets.
 */
export class DocumentNames {
  readonly #used = new Set<string>()
  /** The number of the last document for each name. */
  readonly #counts = new Map<string, number>()

  next(name: string | undefined): string {
    const fitted = fittedName(name)
    let count = this.#counts.get(fitted) ?? 0
    let unique: string
    do {
      count++
      unique = count === 1 ? fitted : `${fitted} (${count})`
    } while (this.#used.has(unique))
    this.#counts.set(fitted, count)
    this.#used.add(unique)
    return unique
  }
}

function fittedName(name = ""): string {
  const withoutEnding = name.slice(0, MAX_READ).replace(/\.\w+$/, "")
  const fitted = withoutEnding
    .replaceAll(/[^a-zA-Z0-9\-()[\]]+/g, " ")
    .trim()
    .slice(0, MAX_LENGTH)
  return fitted === "" ? "document" : fitted
}
