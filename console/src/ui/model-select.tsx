import { Group, Select, type SelectProps, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { modelsQuery } from "../api/models-query.ts"
import { MarkedModel, ModelMark } from "./provider-mark.tsx"
import { t } from "../languages/text.ts"

type PassedOn = "label" | "aria-label" | "description" | "placeholder" | "error" | "disabled"

export interface ModelSelectProperties extends Pick<SelectProps, PassedOn> {
  /** The kinds of models to offer. */
  readonly kinds: readonly Model["kind"][]
  readonly value: string | null
  readonly onChange: (model: string) => void
  /** Clears the selection; undefined if a model is required. */
  readonly onClear?: () => void
}

/**
 * Returns a note about a model that is shown before it is selected.
 * @param members number of models of a group.
 */
function noteOf(isPriced: boolean, members: number | undefined): string {
  if (!isPriced) return t("no price")
  return members === undefined ? "" : t("group of {count}", { count: members })
}

/** Maximum number of shown models. Further models are found by typing. */
const MAX_SHOWN = 60

/** Selects a model. Models without a price are shown but cannot be selected. */
export function ModelSelect(properties: ModelSelectProperties) {
  const { kinds, value, onChange, onClear, ...rest } = properties
  const { data: models, isPending, error } = useQuery(modelsQuery)
  const options = useMemo(() => {
    const known = (models ?? [])
      .filter((model) => kinds.includes(model.kind))
      .map(({ id, price, group }) => ({
        value: id,
        label: id,
        disabled: price === null,
        note: noteOf(price !== null, group?.members.length),
      }))
    // The value is an alias or a deleted model.
    const isOther = value !== null && known.every((option) => option.value !== value)
    return isOther ? [{ value, label: value, disabled: false, note: "" }, ...known] : known
  }, [models, kinds, value])
  return (
    <Select
      placeholder={isPending ? t("Loading models…") : t("Choose a model")}
      {...rest}
      data={options}
      value={value}
      leftSection={value === null ? undefined : <ModelMark model={value} />}
      onChange={(chosen) => {
        if (chosen === null) onClear?.()
        else onChange(chosen)
      }}
      clearable={onClear !== undefined}
      clearButtonProps={{ "aria-label": t("Use the default") }}
      searchable
      allowDeselect={false}
      limit={MAX_SHOWN}
      nothingFoundMessage={t("No matching models.")}
      error={error === null ? rest.error : error.message}
      maxDropdownHeight={320}
      comboboxProps={{ shadow: "md", width: "max-content", position: "bottom-start" }}
      renderOption={({ option }) => (
        <Group gap="xs" justify="space-between" wrap="nowrap" w="100%" maw="80vw">
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            <MarkedModel model={option.value}>{option.label}</MarkedModel>
          </Text>
          <Text size="xs" c="dimmed">
            {options.find(({ value: id }) => id === option.value)?.note}
          </Text>
        </Group>
      )}
    />
  )
}
