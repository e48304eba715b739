export type Order = "asc" | "desc"

/** The sort order of a table. */
export interface Sorting {
  /** The id of the column. */
  readonly by: string
  readonly order: Order
}

interface Sortable {
  readonly id: string
  readonly sort?: Order
  readonly isOneWay?: boolean
}

/** Returns the order after a click on a column: the column's initial order, then the reverse order. */
export function nextSorting(
  { id, sort = "asc", isOneWay = false }: Sortable,
  sorting: Sorting | undefined,
): Sorting {
  if (isOneWay || sorting?.by !== id) return { by: id, order: sort }
  return { by: id, order: sorting.order === "asc" ? "desc" : "asc" }
}

/** Formats an order for the URL: `name`, or `-name` for descending. */
export function sortingText({ by, order }: Sorting): string {
  return order === "asc" ? by : `-${by}`
}

/** Parses the order in a URL. Returns the default if the table cannot be sorted in that order. */
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
