import type { ReactNode } from "react"
import type { Order, Sorting } from "./sorting.ts"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers are right-aligned. */
  readonly isFigure?: boolean
  /** Omitted from cards. */
  readonly isWideOnly?: boolean
  /** Omitted from tables that are too narrow, the last one first. */
  readonly isSecondary?: boolean
  /** Has no visible heading: buttons. */
  readonly isAction?: boolean
  readonly width?: number | string
  /** The initial sort order; absent: not sortable. */
  readonly sort?: Order
  /** Can be sorted in this order only. */
  readonly isOneWay?: boolean
  /** Hidden until it is selected. */
  readonly isExtra?: boolean
}

export interface DataTableProperties<Row> {
  /** The content of the table, for screen readers: "Keys". */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  readonly isLoading?: boolean
  /** Shown if there are no rows. */
  readonly empty?: ReactNode
  /**
   * Handles a click on a row. The first column should contain a link or button with the same
   * effect.
   */
  readonly onRowClick?: (row: Row) => void
  /** Minimum width of all columns in CSS pixels. In a narrower space, rows become cards. */
  readonly minWidth?: number
  /** Has many columns with less space between them. */
  readonly isDense?: boolean
  /** The column that the rows are sorted by. */
  readonly sorting?: Sorting | undefined
  /** Absent: the order is fixed. */
  readonly onSort?: (sorting: Sorting) => void
}

/** Reports whether a click was on a link or button inside the row, or on an overlay. */
export function isControl(target: EventTarget): boolean {
  return (
    target instanceof Element &&
    (target.closest("a, button, input, label, [role='menuitem']") !== null ||
      target.closest("tr, article") === null)
  )
}
