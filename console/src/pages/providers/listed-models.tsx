import { Button, Checkbox, Group, Progress, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { modelsQuery } from "../../api/models-query.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { useAddedModels } from "./use-added-models.ts"
import { t } from "../../languages/text.ts"

export interface ListedModelsProperties {
  readonly provider: string
  /** The first models in the provider's own list. */
  readonly listed: readonly string[]
}

/** Lists the models that a provider offers, and adds the selected ones with their list prices. */
export function ListedModels({ provider, listed }: ListedModelsProperties) {
  const { data: models = [] } = useQuery(modelsQuery)
  const [search, setSearch] = useState("")
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const adding = useAddedModels(provider)
  const known = new Set(models.map(({ id }) => id))
  const isAdded = (name: string) => known.has(`${provider}/${name}`)
  const found = listed.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()))
  const open = found.filter((name) => !isAdded(name))
  const wanted = listed.filter((name) => chosen.has(name) && !isAdded(name))

  function toggle(names: readonly string[], isChosen: boolean) {
    const next = new Set(chosen)
    for (const name of names) {
      if (isChosen) next.add(name)
      else next.delete(name)
    }
    setChosen(next)
  }

  return (
    <Stack gap="xs">
      <Text size="sm">{t("Select the models to add.")}</Text>
      <TextInput
        size="xs"
        aria-label={t("Search the listed models")}
        placeholder={t("Search")}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Checkbox
        label={t("All {count} that can be added", { count: open.length })}
        disabled={open.length === 0}
        checked={open.length > 0 && open.every((name) => chosen.has(name))}
        onChange={(event) => toggle(open, event.currentTarget.checked)}
      />
      <div className="vendor-models" role="group" aria-label={t("Listed models")} tabIndex={0}>
        {found.map((name) => (
          <ListedModel
            key={name}
            name={name}
            isAdded={isAdded(name)}
            isChosen={chosen.has(name)}
            onChange={(isChosen) => toggle([name], isChosen)}
          />
        ))}
      </div>
      {adding.isBusy && (
        <Progress
          value={(adding.done / Math.max(1, adding.total)) * 100}
          aria-label={t("Models added")}
        />
      )}
      <ErrorNotice error={adding.error} title={t("Could not add all models")} />
      <Unpriced provider={provider} count={adding.unpriced} />
      <Group justify="flex-end">
        <Button
          variant="light"
          disabled={wanted.length === 0}
          loading={adding.isBusy}
          onClick={() => void adding.add(wanted)}
        >
          {wanted.length === 0
            ? t("Add models")
            : t("Add {count, plural, one {# model} other {# models}}", { count: wanted.length })}
        </Button>
      </Group>
    </Stack>
  )
}

interface ListedModelProperties {
  readonly name: string
  readonly isAdded: boolean
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
}

function ListedModel({ name, isAdded, isChosen, onChange }: ListedModelProperties) {
  return (
    <Checkbox
      py={4}
      label={
        <span className="mono anywhere">
          {name}
          {isAdded && <span className="dim"> {t("(added)")}</span>}
        </span>
      }
      disabled={isAdded}
      checked={isAdded || isChosen}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

interface UnpricedProperties {
  readonly provider: string
  readonly count: number
}

function Unpriced({ provider, count }: UnpricedProperties) {
  if (count === 0) return null
  return (
    <Group gap="xs" role="status">
      <Text size="sm">
        {t(
          "{count, plural, one {# model} other {# models}} without a list price: enter a price before it can be called.",
          { count },
        )}
      </Text>
      <LinkButton to="/models" search={{ provider, priced: "false" }} variant="default" size="xs">
        {t("Enter prices")}
      </LinkButton>
    </Group>
  )
}
