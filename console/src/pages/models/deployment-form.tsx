import { ActionIcon, Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Model, ModelEntry } from "tollgate-contract/catalog.ts"
import { oneQuery } from "../../api/queries.ts"
import { IconArrowLeft, IconPlus, IconTrash } from "../../ui/icons.tsx"
import {
  deploymentsFault,
  type DeploymentValues,
  deploymentValues,
  entryWithDeployments,
  moved,
} from "./deployment-values.ts"
import { t } from "../../languages/text.ts"

export interface DeploymentFormProperties {
  readonly model: Model
  readonly isBusy: boolean
  readonly onSave: (entry: ModelEntry) => void
  readonly onCancel: () => void
}

/** Edits the order of a model's deployments, and their shares of the requests. */
export function DeploymentForm({ model, isBusy, onSave, onCancel }: DeploymentFormProperties) {
  const [values, setValues] = useState(() => deploymentValues(model))
  const { data: providers } = useQuery(oneQuery("GET /providers", { query: { limit: 200 } }))
  const fault = deploymentsFault(values)
  const names = [
    ...new Set([
      ...(providers?.data ?? []).map(({ id }) => id),
      ...values.map((one) => one.provider),
    ]),
  ].filter((name) => name !== "")

  function add() {
    const row = Math.max(0, ...values.map((value) => value.row)) + 1
    setValues([...values, { row, provider: "", model: "", weight: "0", isPaused: false }])
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (fault === undefined) onSave(entryWithDeployments(model, values))
      }}
    >
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {t(
            "Requests are shared by weight. Deployments with weight 0 are fallbacks, tried in this order when the others fail.",
          )}
        </Text>
        {values.map((value, index) => (
          <DeploymentRow
            key={value.row}
            value={value}
            place={index + 1}
            count={values.length}
            providers={names}
            onChange={(part) => setValues(values.with(index, { ...value, ...part }))}
            onMove={(by) => setValues(moved(values, index, by))}
            onRemove={() => setValues(values.toSpliced(index, 1))}
          />
        ))}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={isBusy} disabled={fault !== undefined}>
            {t("Save")}
          </Button>
          <Button size="xs" variant="default" onClick={onCancel}>
            {t("Cancel")}
          </Button>
          <Button size="xs" variant="subtle" leftSection={<IconPlus size={14} />} onClick={add}>
            {t("Add a deployment")}
          </Button>
        </Group>
        {fault !== undefined && (
          <Text size="xs" c="dimmed" role="status">
            {fault}
          </Text>
        )}
      </Stack>
    </form>
  )
}

interface DeploymentRowProperties {
  readonly value: DeploymentValues
  /** The position in the list, starting at 1. */
  readonly place: number
  readonly count: number
  readonly providers: readonly string[]
  readonly onChange: (part: Partial<DeploymentValues>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function DeploymentRow(properties: DeploymentRowProperties) {
  const { value, place, count, providers, onChange, onMove, onRemove } = properties
  return (
    <fieldset className="deployment">
      <legend className="unseen">{t("Deployment {place}", { place })}</legend>
      <Group gap="xs" grow align="flex-start">
        <Select
          label={t("Provider")}
          size="xs"
          searchable
          data={[...providers]}
          value={value.provider === "" ? null : value.provider}
          onChange={(provider) => onChange({ provider: provider ?? "" })}
        />
        <TextInput
          label={t("Name there")}
          size="xs"
          value={value.model}
          onChange={(event) => onChange({ model: event.currentTarget.value })}
        />
        <TextInput
          label={t("Weight")}
          size="xs"
          inputMode="decimal"
          value={value.weight}
          onChange={(event) => onChange({ weight: event.currentTarget.value })}
        />
      </Group>
      <Group gap="xs" justify="space-between" mt="xs">
        <Switch
          label={t("Paused")}
          size="xs"
          checked={value.isPaused}
          onChange={(event) => onChange({ isPaused: event.currentTarget.checked })}
        />
        <Group gap={4}>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={place === 1}
            aria-label={t("Move deployment {place} up", { place })}
            onClick={() => onMove(-1)}
          >
            <IconArrowLeft size={16} className="turned-up" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={place === count}
            aria-label={t("Move deployment {place} down", { place })}
            onClick={() => onMove(1)}
          >
            <IconArrowLeft size={16} className="turned-down" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            disabled={count === 1}
            aria-label={t("Remove deployment {place}", { place })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </Group>
    </fieldset>
  )
}
