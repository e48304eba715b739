import type { ReactNode } from "react"
import type { Order, Sorting } from "./sorting.ts"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Figures stand at the right. */
  readonly isFigure?: boolean
  /** Left out of the cards. */
  readonly isWideOnly?: boolean
  /** Left out of a table that has no room for all; the last one goes first. */
  readonly isSecondary?: boolean
  /** Has no heading for the eye: buttons. */
  readonly isAction?: boolean
  readonly width?: number | string
  /** The order in which it is sorted first; absent: it cannot be sorted by. */
  readonly sort?: Order
  /** Sorted in that order only. */
  readonly isOneWay?: boolean
  /** Shown where it is chosen. */
  readonly isExtra?: boolean
}

export interface DataTableProperties<Row> {
  /** What the table is of, for those who do not see it: "Keys". */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  readonly isLoading?: boolean
  /** In place of rows when there are none. */
  readonly empty?: ReactNode
  /** What a click on a row does. The first column should hold a link or button that does the same. */
  readonly onRowClick?: (row: Row) => void
  /** What all columns need, CSS pixels: where there is less room, rows become cards. */
  readonly minWidth?: number
  /** Has many columns: less space between them. */
  readonly isDense?: boolean
  /** The column that the rows are sorted by. */
  readonly sorting?: Sorting | undefined
  /** Absent: the order cannot be changed. */
  readonly onSort?: (sorting: Sorting) => void
}

/** Whether a click was for a link or button inside the row, or for something laid over it. */
export function isControl(target: EventTarget): boolean {
  return (
    target instanceof Element &&
    (target.closest("a, button, input, label, [role='menuitem']") !== null ||
      target.closest("tr, article") === null)
  )
}
