import { Button, Checkbox, Popover, Stack } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { type ReactNode, useMemo } from "react"
import type { Column } from "./data-column.ts"
import { IconColumns2 } from "./icons.tsx"

export interface ChosenColumns<Row> {
  /** Those that are shown. */
  readonly columns: readonly Column<Row>[]
  readonly isShown: (id: string) => boolean
  readonly toggle: (id: string) => void
}

/** Which columns of a table are shown: as they are, until someone chooses; kept in the browser. The first one and buttons always are. */
export function useChosenColumns<Row>(
  table: string,
  all: readonly Column<Row>[],
): ChosenColumns<Row> {
  // Only what differs from the usual: a column that is new is shown or not as it is meant to be.
  const [changed, setChanged] = useLocalStorage<readonly string[]>({
    key: `tollgate-columns-${table}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readNames,
  })
  return useMemo(() => {
    const shown = new Set(
      all.flatMap(({ id, isAction = false, isExtra = false }, index) =>
        index === 0 || isAction || isExtra === changed.includes(id) ? id : [],
      ),
    )
    return {
      columns: all.filter(({ id }) => shown.has(id)),
      isShown: (id) => shown.has(id),
      toggle: (id) =>
        setChanged(changed.includes(id) ? changed.filter((one) => one !== id) : [...changed, id]),
    }
  }, [all, changed, setChanged])
}

/** What the browser has kept may have been written by anything. */
function readNames(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(value) ? value.filter((name) => typeof name === "string") : []
  } catch {
    return []
  }
}

interface ColumnChoiceProperties<Row> {
  readonly all: readonly Column<Row>[]
  readonly chosen: ChosenColumns<Row>
  /** Further choices of how the table looks. */
  readonly children?: ReactNode
}

/** The columns of a table to choose from. */
export function ColumnChoice<Row>({ all, chosen, children }: ColumnChoiceProperties<Row>) {
  return (
    <Popover position="bottom-end" withinPortal trapFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns2 size={14} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {all
            .filter(({ isAction = false }, index) => index > 0 && !isAction)
            .map(({ id, header }) => (
              <Checkbox
                key={id}
                size="xs"
                label={header}
                checked={chosen.isShown(id)}
                onChange={() => chosen.toggle(id)}
              />
            ))}
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
