import { Skeleton, Table } from "@mantine/core"
import { memo } from "react"
import { useAlignedPoints } from "./align-points.ts"
import { DataCards } from "./data-cards.tsx"
import { type Column, isControl, type DataTableProperties } from "./data-column.ts"
import { SortHeading } from "./sort-heading.tsx"
import type { Sorting } from "./sorting.ts"
import { useDensity } from "./use-density.ts"
import { useFirstRows } from "./use-first-rows.ts"
import { useFits } from "./use-fits.ts"
import { useStable } from "./use-stable.ts"

export type { Column } from "./data-column.ts"

/** Width of a column in CSS pixels. */
const COLUMN_WIDTH = 130
/**
 * Minimum width in CSS pixels of a table without its secondary columns. In a narrower space, cards are easier to read.
 */
const MIN_TABLE_WIDTH = 440

/**
 * Maximum heights of a row and a card in CSS pixels. Rows that are not rendered yet take as much space, so that the
 * browser can return to its scroll position.
 */
const ROW_HEIGHT = 100
const CARD_HEIGHT = 400

/**
 * Shows rows and columns. If the space is too narrow for the table, secondary columns are omitted; if it is still too
 * narrow, cards are shown. Shows skeletons while loading.
 */
export function DataTable<Row>(properties: DataTableProperties<Row>) {
  const { columns, rows, isLoading = false, empty, minWidth = 640 } = properties
  const forms = formsOf(columns, minWidth)
  const { ref, form } = useFits(forms.map((each) => each.minWidth))
  const table = forms[form]
  const shown = { ...properties, rows: useFirstRows(rows) }
  const missing = rows.length - shown.rows.length
  if (!isLoading && rows.length === 0) return <>{empty}</>
  return (
    <div ref={ref}>
      {table === undefined ? <DataCards {...shown} /> : <WideTable {...shown} {...table} />}
      {missing > 0 && (
        <div
          aria-hidden
          style={{ height: missing * (table === undefined ? CARD_HEIGHT : ROW_HEIGHT) }}
        />
      )}
    </div>
  )
}

interface TableForm<Row> {
  readonly columns: readonly Column<Row>[]
  readonly minWidth: number
}

/**
 * Returns the possible forms of a table, widest first. Each form omits one more secondary column, starting at the end.
 */
function formsOf<Row>(columns: readonly Column<Row>[], minWidth: number): TableForm<Row>[] {
  const forms = [{ columns, minWidth }]
  let left = columns
  for (const column of columns.toReversed()) {
    if (column.isSecondary !== true) continue
    left = left.filter((other) => other !== column)
    const least = minWidth - (columns.length - left.length) * COLUMN_WIDTH
    forms.push({ columns: left, minWidth: Math.max(least, Math.min(minWidth, MIN_TABLE_WIDTH)) })
  }
  return forms
}

function WideTable<Row>(properties: DataTableProperties<Row> & { readonly minWidth: number }) {
  const { label, columns, rows, rowKey, isLoading = false, onRowClick, minWidth } = properties
  const { sorting, onSort, isDense = false, reservedRows = RESERVED_ROWS } = properties
  const onClick = useStable(onRowClick)
  const table = useAlignedPoints()
  const { isCompact } = useDensity()
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <Table
        ref={table}
        className={isCompact ? "table-compact" : undefined}
        verticalSpacing={isCompact ? 2 : "xs"}
        horizontalSpacing={isDense || isCompact ? "xs" : "md"}
        highlightOnHover={onRowClick !== undefined && !isLoading}
        aria-label={label}
        aria-busy={isLoading}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.id}
                ta={column.isFigure === true ? "right" : "left"}
                w={column.width}
                aria-sort={orderOf(column, sorting)}
              >
                {column.isAction === true ? (
                  <span className="unseen">{column.header}</span>
                ) : column.sort !== undefined && onSort !== undefined ? (
                  <SortHeading column={column} sorting={sorting} onSort={onSort} />
                ) : (
                  column.header
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {isLoading && <SkeletonRows columns={columns.length} count={reservedRows} />}
          {!isLoading &&
            rows.map((row) => (
              <TableRow
                key={rowKey(row)}
                row={row}
                columns={columns}
                {...(onRowClick !== undefined && { onClick })}
              />
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function orderOf<Row>(
  { id }: Column<Row>,
  sorting: Sorting | undefined,
): "ascending" | "descending" | undefined {
  if (sorting?.by !== id) return undefined
  return sorting.order === "asc" ? "ascending" : "descending"
}

interface TableRowProperties<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly onClick?: (row: Row) => void
}

/** Renders again only if the row changes. A list may have a thousand rows, and it grows page by page. */
const TableRow = memo(function TableRow<Row>({ row, columns, onClick }: TableRowProperties<Row>) {
  return (
    <Table.Tr
      className={onClick === undefined ? undefined : "row-link"}
      onClick={(event) => {
        if (!isControl(event.target)) onClick?.(row)
      }}
    >
      {columns.map((column) => (
        <Table.Td
          key={column.id}
          ta={column.isFigure === true ? "right" : "left"}
          className={column.isFigure === true ? "figures" : undefined}
        >
          {column.cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}) as <Row>(properties: TableRowProperties<Row>) => React.JSX.Element

const RESERVED_ROWS = 5

interface SkeletonRowsProperties {
  readonly columns: number
  readonly count: number
}

function SkeletonRows({ columns, count }: SkeletonRowsProperties) {
  return Array.from({ length: count }, (_, index) => (
    <Table.Tr key={index}>
      <Table.Td colSpan={columns}>
        <Skeleton height={20} width={`${95 - index * 9}%`} />
      </Table.Td>
    </Table.Tr>
  ))
}
