/** One member that a change touched. */
export interface Difference {
  /** A dotted path: `budget.limit`, `models[0]`. Empty: the whole. */
  readonly path: string
  /** As text; undefined where it was not there. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What differs between two documents, member by member, in the order in which they stand. */
export function differences(before: unknown, after: unknown): Difference[] {
  const left = flatten(before)
  const right = flatten(after)
  const paths = [...new Set([...left.keys(), ...right.keys()])]
  return paths
    .map((path) => ({ path, before: left.get(path), after: right.get(path) }))
    .filter(({ before, after }) => before !== after)
}

/** Every leaf of a document as text, by its path. Null as a whole is nothing at all. */
function flatten(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>()
  if (value !== null && value !== undefined) walk(value, "", leaves)
  return leaves
}

function walk(value: unknown, path: string, leaves: Map<string, string>): void {
  if (Array.isArray(value)) {
    // A list of plain values reads best as one.
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
