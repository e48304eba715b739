const LONGEST = 190

/**
 * Names of a request's documents in Converse's form: letters, digits, single spaces, hyphens, parentheses and
 * brackets, and unique.
 */
export class DocumentNames {
  readonly #used = new Set<string>()

  next(name: string | undefined): string {
    const fitted = fittedName(name)
    let unique = fitted
    for (let count = 2; this.#used.has(unique); count++) unique = `${fitted} (${count})`
    this.#used.add(unique)
    return unique
  }
}

function fittedName(name = ""): string {
  const withoutEnding = name.replace(/\.\w+$/, "")
  const fitted = withoutEnding
    .replaceAll(/[^a-zA-Z0-9\-()[\]]+/g, " ")
    .trim()
    .slice(0, LONGEST)
  return fitted === "" ? "document" : fitted
}
