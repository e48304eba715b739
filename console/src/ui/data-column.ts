import type { ReactNode } from "react"
import type { Order, Sorting } from "./sorting.ts"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Whether the values are numbers, which are right-aligned. */
  readonly isFigure?: boolean
  /** Whether the column is omitted from cards. */
  readonly isWideOnly?: boolean
  /** Whether the column may be omitted from a narrow table. The last such column is omitted first. */
  readonly isSecondary?: boolean
  /** Whether the column contains buttons and has no visible heading. */
  readonly isAction?: boolean
  readonly width?: number | string
  /** The initial sort order; if absent, the rows cannot be sorted by this column. */
  readonly sort?: Order
  /** Whether the rows can be sorted in the initial order only. */
  readonly isOneWay?: boolean
  /** Whether the column is hidden until the user selects it. */
  readonly isExtra?: boolean
}

export interface DataTableProperties<Row> {
  /** Describes the content of the table for screen readers: "Keys". */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  readonly isLoading?: boolean
  /** Number of rows for which space is reserved while loading. */
  readonly reservedRows?: number
  /** Shown if there are no rows. */
  readonly empty?: ReactNode
  /**
   * Handles a click on a row. The first column should contain a link or button with the same
   * effect.
   */
  readonly onRowClick?: (row: Row) => void
  /** Minimum width of all columns in CSS pixels. In a narrower space, rows become cards. */
  readonly minWidth?: number
  /** Whether the table has many columns, with less space between them. */
  readonly isDense?: boolean
  /** The column that the rows are sorted by. */
  readonly sorting?: Sorting | undefined
  /** Called when the user sorts the table; if absent, the order is fixed. */
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
