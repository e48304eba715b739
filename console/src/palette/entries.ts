import { fit } from "./fuzzy.ts"

/** A search result of the palette. */
export interface PaletteEntry {
  /** The id, which has no spaces because it is also the id of an element. */
  readonly id: string
  readonly group: string
  readonly label: string
  /** Additional text that is searched and that distinguishes similar results. */
  readonly detail?: string
  /** Other words for the entry, which are searched but not shown. */
  readonly keywords?: string
  readonly choose: () => void
}

export interface PaletteGroup {
  readonly name: string
  readonly entries: readonly PaletteEntry[]
}

const MAX_PER_GROUP = 8
const REQUEST_ID = /\breq_[\w-]+/

/** Extracts the id of a request from typed or pasted text. */
export function requestIdIn(typed: string): string | undefined {
  return REQUEST_ID.exec(typed)?.[0]
}

function textOf({ label, detail = "", keywords = "" }: PaletteEntry): string {
  return `${label} ${detail} ${keywords}`
}

/** Returns the matching entries, best first. Groups are sorted by their best entry. */
export function findEntries(
  typed: string,
  entries: readonly PaletteEntry[],
): readonly PaletteGroup[] {
  const wanted = typed.trim()
  const found = entries.flatMap((entry) => {
    const points = fit(wanted, textOf(entry))
    return points === undefined ? [] : [{ entry, points: wanted === "" ? 0 : points }]
  })
  const groups = new Map<string, PaletteEntry[]>()
  for (const { entry } of found.toSorted((left, right) => right.points - left.points)) {
    const group = groups.get(entry.group) ?? []
    groups.set(entry.group, group)
    if (wanted === "" || group.length < MAX_PER_GROUP) group.push(entry)
  }
  return [...groups].map(([name, entries]) => ({ name, entries }))
}
