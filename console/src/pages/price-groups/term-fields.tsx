import type { PriceTerm } from "tollgate-contract/price-groups.ts"
import "@mantine/core/styles/Fieldset.css"
import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import { oneQuery } from "../../api/queries.ts"
import { joined } from "../../format/lists.ts"
import { zoneName } from "../../format/moments.ts"
import { When } from "../../ui/when.tsx"
import { PriceFields } from "../models/price-fields.tsx"
import { decimalFault } from "../models/prices.ts"
import { type CardValues, emptyCard, hasBegun, termText, type TermValues } from "./group-values.ts"
import { rich, t } from "../../languages/text.ts"

export interface TermFieldsProperties {
  readonly term: TermValues
  /** The position of the term, starting at 1. */
  readonly place: number
  readonly onChange: (term: TermValues) => void
  /** Removes the term; absent if it is the only term. */
  readonly onRemove?: () => void
}

/** The fields of a term. A term that has begun is read-only. */
export function TermFields({ term, place, onChange, onRemove }: TermFieldsProperties) {
  const { given } = term
  const isRemovable = onRemove !== undefined && given?.state !== "active"
  return (
    <Fieldset legend={t("Term {place}", { place })}>
      <Stack gap="sm">
        {given !== undefined && hasBegun(term) ? (
          <Text size="sm">
            <BegunTerm term={given} />
          </Text>
        ) : (
          <OpenTerm term={term} onChange={onChange} />
        )}
        {isRemovable && (
          <Group justify="flex-end">
            <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
              {t("Remove the term")}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}

function BegunTerm({ term }: { readonly term: PriceTerm }) {
  const values = { term: termText(term), when: <When at={term.from} isExact /> }
  return term.state === "active"
    ? rich("{term}, since {when}. It holds until the next term begins.", values)
    : rich("{term}, since {when}. It has ended.", values)
}

function OpenTerm({ term, onChange }: Pick<TermFieldsProperties, "term" | "onChange">) {
  const { multiplier, prices } = term
  const change = (part: Partial<TermValues>) => onChange({ ...term, ...part })
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t("Start")}
          description={t("In {zone}. Leave empty for now.", { zone: zoneName() })}
          type="datetime-local"
          value={term.from}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          label={t("Multiplier")}
          description={t("0.9 takes 10% off.")}
          inputMode="decimal"
          placeholder="1"
          value={multiplier}
          error={multiplier.trim() === "" ? undefined : decimalFault(multiplier)}
          onChange={(event) => change({ multiplier: event.currentTarget.value })}
        />
      </SimpleGrid>
      {prices.map((card) => (
        <CardFields
          key={card.key}
          card={card}
          onChange={(changed) =>
            change({ prices: prices.map((one) => (one.key === card.key ? changed : one)) })
          }
          onRemove={() => change({ prices: prices.filter(({ key }) => key !== card.key) })}
        />
      ))}
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => change({ prices: [...prices, emptyCard()] })}
      >
        {t("Add a price to the rate card")}
      </Button>
    </>
  )
}

interface CardFieldsProperties {
  readonly card: CardValues
  readonly onChange: (card: CardValues) => void
  readonly onRemove: () => void
}

/** Edits the price of a model on the rate card. */
function CardFields({ card, onChange, onRemove }: CardFieldsProperties) {
  const models = useQuery(oneQuery("GET /models", { query: { priced: "true" } })).data?.data ?? []
  const list = useId()
  const kind = models.find(({ id }) => id === card.model.trim())?.kind ?? "chat"
  const others = Object.keys(card.others)
  return (
    <Fieldset
      legend={
        card.model.trim() === ""
          ? t("Price of a model")
          : t("Price of {model}", { model: card.model })
      }
    >
      <Stack gap="sm">
        <TextInput
          label={t("Model")}
          description={t(
            "An ID, or a pattern such as openai/*. No multiplier is applied to this price.",
          )}
          list={list}
          value={card.model}
          onChange={(event) => onChange({ ...card, model: event.currentTarget.value })}
        />
        <datalist id={list}>
          {models.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <PriceFields
          kind={kind}
          typed={card.typed}
          onChange={(typed) => onChange({ ...card, typed })}
        />
        {others.length > 0 && (
          <Text size="xs" c="dimmed">
            {t("Set through the API, and kept: {others}.", { others: joined(others) })}
          </Text>
        )}
        <Group justify="flex-end">
          <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
            {t("Remove the price")}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
