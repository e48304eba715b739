import { Group, Select, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { modelsQuery } from "../models/models-query.ts"

export interface ModelSelectProperties {
  /** Which models are offered. */
  readonly kinds: readonly Model["kind"][]
  readonly value: string | null
  readonly onChange: (model: string) => void
  readonly label: string
  /** Whether the label is for the eye as well. */
  readonly isLabelShown?: boolean
}

/** More than this are found by typing. */
const MAX_SHOWN = 60

/** Chooses a model; those without a price are shown, and cannot be chosen. */
export function ModelSelect(properties: ModelSelectProperties) {
  const { kinds, value, onChange, label, isLabelShown = true } = properties
  const { data: models, isPending, error } = useQuery(modelsQuery)
  const options = useMemo(
    () =>
      (models ?? [])
        .filter((model) => kinds.includes(model.kind))
        .map((model) => ({ value: model.id, label: model.id, disabled: model.price === null })),
    [models, kinds],
  )
  return (
    <Select
      {...(isLabelShown ? { label } : { "aria-label": label })}
      data={options}
      value={value}
      onChange={(chosen) => {
        if (chosen !== null) onChange(chosen)
      }}
      searchable
      allowDeselect={false}
      limit={MAX_SHOWN}
      placeholder={isPending ? "Loading models…" : "Choose a model"}
      nothingFoundMessage="No matching models."
      error={error === null ? undefined : error.message}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: "md", width: "max-content", position: "bottom-start" }}
      renderOption={({ option }) => (
        <Group gap="xs" justify="space-between" wrap="nowrap" w="100%" maw="80vw">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {option.label}
          </Text>
          {option.disabled === true && (
            <Text size="xs" c="dimmed">
              no price
            </Text>
          )}
        </Group>
      )}
    />
  )
}
