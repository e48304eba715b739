import { SimpleGrid, TextInput } from "@mantine/core"
import type { Model } from "tollgate-contract/catalog.ts"
import { AmountEcho } from "../../ui/amount-input.tsx"
import type { TypedPrices } from "./read-prices.ts"
import {
  classLabel,
  decimalFault,
  MINIMUM_SECONDS,
  PRICE_CLASSES,
  secondsFault,
  usualClasses,
} from "./prices.ts"
import { t } from "../../languages/text.ts"

export interface PriceFieldsProperties {
  readonly kind: Model["kind"]
  readonly typed: TypedPrices
  readonly onChange: (typed: TypedPrices) => void
}

/** Shows a field for each usual price class of this kind of model, and for each class that has a price. */
export function PriceFields({ kind, typed, onChange }: PriceFieldsProperties) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {fieldNames(kind, typed).map((name) => (
        <div key={name}>
          <TextInput
            label={classLabel(name)}
            description={
              name === MINIMUM_SECONDS ? t("charged for shorter audio") : t("credits per million")
            }
            inputMode="decimal"
            placeholder={t("none")}
            value={typed[name] ?? ""}
            error={fault(name, typed[name] ?? "")}
            onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
          />
          {name !== MINIMUM_SECONDS && (
            <AmountEcho typed={typed[name] ?? ""} unit={t("credits per million")} />
          )}
        </div>
      ))}
    </SimpleGrid>
  )
}

function fieldNames(kind: Model["kind"], typed: TypedPrices): string[] {
  const others = Object.keys(typed).filter((name) => !usualClasses(kind).includes(name))
  const order = PRICE_CLASSES.map(({ name }) => name)
  return [...usualClasses(kind), ...others.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))]
}

function fault(name: string, text: string): string | undefined {
  if (text.trim() === "") return undefined
  return name === MINIMUM_SECONDS ? secondsFault(text) : decimalFault(text)
}
