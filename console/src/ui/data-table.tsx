import { Skeleton, Table } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { DataCards } from "./data-cards.tsx"
import { isControl, type DataTableProperties } from "./data-column.ts"

export type { Column } from "./data-column.ts"

/** Rows and columns: a table where there is room, cards on a phone, skeletons while loading. */
export function DataTable<Row>(properties: DataTableProperties<Row>) {
  const { rows, isLoading = false, empty, cardsBelow = "48em" } = properties
  const isPhone = useMediaQuery(`(max-width: ${cardsBelow})`, undefined, {
    getInitialValueInEffect: false,
  })
  if (!isLoading && rows.length === 0) return <>{empty}</>
  if (isPhone) return <DataCards {...properties} />
  return <WideTable {...properties} />
}

function WideTable<Row>(properties: DataTableProperties<Row>) {
  const { label, columns, rows, rowKey, isLoading = false, onRowClick, minWidth } = properties
  return (
    <Table.ScrollContainer
      minWidth={minWidth ?? 640}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <Table
        verticalSpacing="xs"
        horizontalSpacing="md"
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
              >
                {column.isAction === true ? (
                  <span className="unseen">{column.header}</span>
                ) : (
                  column.header
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {isLoading && <SkeletonRows columns={columns.length} />}
          {!isLoading &&
            rows.map((row) => (
              <Table.Tr
                key={rowKey(row)}
                className={onRowClick === undefined ? undefined : "row-link"}
                onClick={(event) => {
                  if (onRowClick !== undefined && !isControl(event.target)) onRowClick(row)
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
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const SKELETON_ROWS = ["a", "b", "c", "d", "e"]

function SkeletonRows({ columns }: { readonly columns: number }) {
  return SKELETON_ROWS.map((row, index) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton height={20} width={`${95 - index * 9}%`} />
      </Table.Td>
    </Table.Tr>
  ))
}
