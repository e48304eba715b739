/** One changed field. */
export interface Difference {
  /** The dotted path of the field, such as `budget.limit` or `models[0]`. Empty for the whole document. */
  readonly path: string
  /** The value as text; undefined if the field did not exist. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns the fields that differ between two documents, in document order. */
export function differences(before: unknown, after: unknown): Difference[] {
  const left = flatten(before)
  const right = flatten(after)
  const paths = [...new Set([...left.keys(), ...right.keys()])]
  return paths
    .map((path) => ({ path, before: left.get(path), after: right.get(path) }))
    .filter(({ before, after }) => before !== after)
}

/** Returns every leaf of a document as text, by path. A null document has no leaves. */
function flatten(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>()
  if (value !== null && value !== undefined) walk(value, "", leaves)
  return leaves
}

function walk(value: unknown, path: string, leaves: Map<string, string>): void {
  if (Array.isArray(value)) {
    // A list of plain values is more readable as one text.
    if (value.every((item) => typeof item !== "object" || item === null)) {
      leaves.set(path, value.length === 0 ? "[]" : value.map(plain).join(", "))
      return
    }
    value.forEach((item, index) => walk(item, `${path}[${index}]`, leaves))
    return
  }
  if (typeof value !== "object" || value === null) {
    leaves.set(path, plain(value))
    return
  }
  const members = Object.entries(value)
  if (members.length === 0) leaves.set(path, "{}")
  for (const [name, member] of members) {
    walk(member, path === "" ? name : `${path}.${name}`, leaves)
  }
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
