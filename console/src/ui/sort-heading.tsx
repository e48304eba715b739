import { ActionIcon, Group, Select, UnstyledButton } from "@mantine/core"
import type { Column, DataTableProperties } from "./data-column.ts"
import { IconArrowDown, IconArrowUp } from "./icons.tsx"
import { nextSorting, type Sorting } from "./sorting.ts"
import { t } from "../languages/text.ts"

interface SortHeadingProperties<Row> {
  readonly column: Column<Row>
  readonly sorting: Sorting | undefined
  readonly onSort: (sorting: Sorting) => void
}

/** A column heading that sorts the rows. */
export function SortHeading<Row>({ column, sorting, onSort }: SortHeadingProperties<Row>) {
  const isSorted = sorting?.by === column.id
  return (
    <UnstyledButton
      className="sort-heading"
      data-sorted={isSorted || undefined}
      data-figure={column.isFigure}
      onClick={() => onSort(nextSorting(column, sorting))}
    >
      {column.header}
      <SortArrow order={isSorted ? sorting.order : (column.sort ?? "asc")} />
    </UnstyledButton>
  )
}

function SortArrow({ order }: { readonly order: Sorting["order"] }) {
  const Arrow = order === "asc" ? IconArrowUp : IconArrowDown
  return <Arrow size={12} aria-hidden />
}

/** Lets the user sort cards, which have no column headings. */
export function SortChoice<Row>({
  columns,
  sorting,
  onSort,
}: Pick<DataTableProperties<Row>, "columns" | "sorting" | "onSort">) {
  const sortable = columns.filter(({ sort }) => sort !== undefined)
  if (onSort === undefined || sortable.length === 0) return null
  const chosen = sortable.find(({ id }) => id === sorting?.by)
  return (
    <Group gap="xs" px="xs" pt="xs" wrap="nowrap">
      <Select
        aria-label={t("Sort by")}
        placeholder={t("Sort by")}
        flex={1}
        maw="20rem"
        allowDeselect={false}
        data={sortable.map(({ id, header }) => ({ value: id, label: header }))}
        value={chosen?.id ?? null}
        onChange={(id) => {
          const column = sortable.find((each) => each.id === id)
          if (column !== undefined && column !== chosen) onSort(nextSorting(column, undefined))
        }}
      />
      {chosen !== undefined && chosen.isOneWay !== true && sorting !== undefined && (
        <ActionIcon
          variant="default"
          size="input-sm"
          aria-label={sorting.order === "asc" ? t("Sort descending") : t("Sort ascending")}
          onClick={() => onSort(nextSorting(chosen, sorting))}
        >
          <SortArrow order={sorting.order} />
        </ActionIcon>
      )}
    </Group>
  )
}
