import { SimpleGrid, TextInput } from "@mantine/core"
import type { Model } from "../../../../src/management/contract/catalog.ts"
import type { TypedPrices } from "./read-prices.ts"
import { classLabel, PRICE_CLASSES, readDecimal, usualClasses } from "./prices.ts"

export interface PriceFieldsProperties {
  readonly kind: Model["kind"]
  readonly typed: TypedPrices
  readonly onChange: (typed: TypedPrices) => void
}

/** A field for each class that this kind of model usually costs by, and for those that have a price. */
export function PriceFields({ kind, typed, onChange }: PriceFieldsProperties) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {fieldNames(kind, typed).map((name) => (
        <TextInput
          key={name}
          label={classLabel(name)}
          description="credits per million"
          inputMode="decimal"
          placeholder="none"
          value={typed[name] ?? ""}
          error={fault(typed[name] ?? "")}
          onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
        />
      ))}
    </SimpleGrid>
  )
}

function fieldNames(kind: Model["kind"], typed: TypedPrices): string[] {
  const others = Object.keys(typed).filter((name) => !usualClasses(kind).includes(name))
  const order = PRICE_CLASSES.map(({ name }) => name as string)
  return [...usualClasses(kind), ...others.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))]
}

function fault(text: string): string | undefined {
  if (text.trim() === "" || readDecimal(text) !== undefined) return undefined
  return "must be a number, such as 0.15"
}
