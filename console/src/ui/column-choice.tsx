import { Button, Checkbox, Popover, Stack, Switch } from "@mantine/core"
import { useLocalStorage } from "@mantine/hooks"
import { type ReactNode, useMemo } from "react"
import type { Column } from "./data-column.ts"
import { useDensity } from "./use-density.ts"
import { IconColumns2 } from "./icons.tsx"
import { t } from "../languages/text.ts"

export interface ChosenColumns<Row> {
  /** The columns that are shown. */
  readonly columns: readonly Column<Row>[]
  readonly isShown: (id: string) => boolean
  readonly toggle: (id: string) => void
}

/**
 * Stores in the browser which columns of a table are shown. The first column and columns of buttons are always shown.
 */
export function useChosenColumns<Row>(
  table: string,
  all: readonly Column<Row>[],
): ChosenColumns<Row> {
  // Stores only differences from the default, so that a new column is shown or hidden by its own default.
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

/** Validates the stored value, which any script may have written. */
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
  /** Further options for the table's appearance. */
  readonly children?: ReactNode
}

/** Selects the columns of a table, and the density of all tables. */
export function ColumnChoice<Row>({ all, chosen, children }: ColumnChoiceProperties<Row>) {
  const { isCompact, setCompact } = useDensity()
  return (
    <Popover position="bottom-end" withinPortal trapFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns2 size={14} />}>
          {t("Columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("Columns")}>
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
          <Switch
            size="xs"
            label={t("Compact rows")}
            checked={isCompact}
            onChange={() => setCompact(!isCompact)}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
