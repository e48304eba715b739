/**
 * Reports whether a key with these globs may call a model; null means all models. `*` matches any text,
 * `?` one character.
 */
export function allowsModel(globs: readonly string[] | null, model: string): boolean {
  return globs === null || globs.some((glob) => patternOf(glob).test(model))
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".")
  return new RegExp(`^${source}$`)
}
