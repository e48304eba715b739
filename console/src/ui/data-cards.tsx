import { Box, Group, Paper, Skeleton, Stack } from "@mantine/core"
import { isControl, type Column, type DataTableProperties } from "./data-column.ts"
import { SortChoice } from "./sort-heading.tsx"

/** Shows the rows of a table as cards. The first column becomes the heading, and the other columns become lines. */
export function DataCards<Row>(properties: DataTableProperties<Row>) {
  const { label, columns, rows, rowKey, isLoading = false, onRowClick } = properties
  if (isLoading) {
    return (
      <Stack gap="xs" p="xs" aria-busy>
        <Skeleton height={88} />
        <Skeleton height={88} />
        <Skeleton height={88} />
      </Stack>
    )
  }
  return (
    <>
      <SortChoice {...properties} />
      <Stack gap="xs" p="xs" role="list" aria-label={label}>
        {rows.map((row) => (
          <div role="listitem" key={rowKey(row)}>
            <Paper
              component="article"
              withBorder
              p="sm"
              className={onRowClick === undefined ? undefined : "row-link"}
              onClick={(event) => {
                if (onRowClick !== undefined && !isControl(event.target)) onRowClick(row)
              }}
            >
              <CardContent columns={columns} row={row} />
            </Paper>
          </div>
        ))}
      </Stack>
    </>
  )
}

interface CardContentProperties<Row> {
  readonly columns: readonly Column<Row>[]
  readonly row: Row
}

function CardContent<Row>({ columns, row }: CardContentProperties<Row>) {
  const [heading, ...others] = columns.filter((column) => column.isWideOnly !== true)
  const actions = others.filter((column) => column.isAction === true)
  const lines = others.filter((column) => column.isAction !== true)
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Box fw={600} style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          {heading?.cell(row)}
        </Box>
        <Group gap={4} wrap="nowrap">
          {actions.map((column) => (
            <Box key={column.id}>{column.cell(row)}</Box>
          ))}
        </Group>
      </Group>
      <dl className="card-lines">
        {lines.map((column) => (
          <div key={column.id}>
            <dt>{column.header}</dt>
            <dd>{column.cell(row)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
