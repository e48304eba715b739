export type Order = "asc" | "desc"

/** What a table is sorted by. */
export interface Sorting {
  /** The id of a column. */
  readonly by: string
  readonly order: Order
}

interface Sortable {
  readonly id: string
  readonly sort?: Order
  readonly isOneWay?: boolean
}

/** The order after a click on a column: the one it is sorted in first, then the other one. */
export function nextSorting(
  { id, sort = "asc", isOneWay = false }: Sortable,
  sorting: Sorting | undefined,
): Sorting {
  if (isOneWay || sorting?.by !== id) return { by: id, order: sort }
  return { by: id, order: sorting.order === "asc" ? "desc" : "asc" }
}

/** An order in an address: `name`, and `-name` for the other way round. */
export function sortingText({ by, order }: Sorting): string {
  return order === "asc" ? by : `-${by}`
}

/** The order that an address names; the usual one where no column can be sorted so. */
export function readSorting(
  text: string | undefined,
  columns: readonly Sortable[],
  usual: Sorting,
): Sorting {
  const by = text?.replace(/^-/, "")
  const column = columns.find(({ id, sort }) => id === by && sort !== undefined)
  if (column === undefined) return usual
  if (column.isOneWay === true) return nextSorting(column, undefined)
  return { by: column.id, order: text?.startsWith("-") ? "desc" : "asc" }
}
