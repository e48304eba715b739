import { fit } from "./fuzzy.ts"

/** Something that the palette leads to. */
export interface PaletteEntry {
  /** Of no two the same, and without spaces: it is an element's id, too. */
  readonly id: string
  readonly group: string
  readonly label: string
  /** What else it is found by, and told apart by. */
  readonly detail?: string
  readonly choose: () => void
}

export interface PaletteGroup {
  readonly name: string
  readonly entries: readonly PaletteEntry[]
}

const MOST_OF_A_GROUP = 8
const REQUEST_ID = /\breq_[\w-]+/

/** The id of a request in what was typed or pasted, with whatever is around it. */
export function requestIdIn(typed: string): string | undefined {
  return REQUEST_ID.exec(typed)?.[0]
}

/** What fits, best first; the group with the best one comes first as well. */
export function findEntries(
  typed: string,
  entries: readonly PaletteEntry[],
): readonly PaletteGroup[] {
  const wanted = typed.trim()
  const found = entries.flatMap((entry) => {
    const points = fit(wanted, `${entry.label} ${entry.detail ?? ""}`)
    return points === undefined ? [] : [{ entry, points: wanted === "" ? 0 : points }]
  })
  const groups = new Map<string, PaletteEntry[]>()
  for (const { entry } of found.toSorted((left, right) => right.points - left.points)) {
    const group = groups.get(entry.group) ?? []
    groups.set(entry.group, group)
    if (wanted === "" || group.length < MOST_OF_A_GROUP) group.push(entry)
  }
  return [...groups].map(([name, entries]) => ({ name, entries }))
}
