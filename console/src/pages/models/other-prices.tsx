import { Stack, Text } from "@mantine/core"
import type { Model, ModePrice, PricePeriod } from "tollgate-contract/catalog.ts"
import { type PeriodTimes, periodWords } from "tollgate-contract/price-periods.ts"
import { When } from "../../ui/when.tsx"
import { allPrices, isOne, type PriceCard, withFactor } from "./prices.ts"
import { rich, t } from "../../languages/text.ts"

/** Shows the prices in service modes and in other periods. */
export function OtherPrices({ model }: { readonly model: Model }) {
  return (
    <>
      <PriceModes model={model} />
      <PricePeriods model={model} />
    </>
  )
}

/** Shows until when the current price applies, and the prices in other periods. */
function PricePeriods({ model }: { readonly model: Model }) {
  const { price_in_force: now, price_periods: periods } = model
  if (now === null) return null
  const priceName = now.period === null ? t("the usual price") : nameOf(now.period)
  return (
    <Stack gap={2} mt="xs">
      <Text size="sm">
        {now.until === null
          ? t("In force now: {price}", { price: priceName })
          : rich("In force now: {price}, until {when}", {
              price: priceName,
              when: <When at={now.until} isExact />,
            })}
      </Text>
      <Text size="xs" c="dimmed">
        {t("Usual price: {prices}", { prices: pricesText(model, model) })}
      </Text>
      {periods.map((period) => (
        <Text key={JSON.stringify(period)} size="xs" c="dimmed">
          {nameOf(period.name ?? "")}: {periodWords(timesOf(period), t)}.{" "}
          {changesText(model, period)}
        </Text>
      ))}
    </Stack>
  )
}

function nameOf(name: string): string {
  return name === "" ? t("period without a name") : name
}

function timesOf({ from, until, zone, days, hours }: PricePeriod): PeriodTimes {
  return {
    ...(from !== null && { from: Date.parse(from) }),
    ...(until !== null && { until: Date.parse(until) }),
    ...(zone !== null && { zone }),
    ...(days !== null && { days }),
    ...(hours !== null && { hours }),
  }
}

/** Formats prices, including the multiplier: `Input 0.3 · Output 1.2`. */
function pricesText(
  model: Model,
  card: PriceCard,
  isShown: (label: string, price: string) => boolean = () => true,
): string {
  return allPrices(card)
    .filter(({ label, price }) => isShown(label, price))
    .map(({ label, price }) => `${label} ${withFactor(model, price)}`)
    .join(" · ")
}

/** Shows the prices of the service modes that apply outside all periods. */
function PriceModes({ model }: { readonly model: Model }) {
  const modes = modeTexts(model, model.price_modes)
  if (modes.length === 0) return null
  return (
    <Stack gap={2} mt="xs">
      <Text size="sm">{t("Modes of service")}</Text>
      {modes.map((text) => (
        <Text key={text} size="xs" c="dimmed">
          {text}
        </Text>
      ))}
    </Stack>
  )
}

/** Formats service modes: `fast × 2`, or `flex: Input 0.3 · Output 1.2` including the multiplier. */
function modeTexts(model: Model, modes: Readonly<Record<string, ModePrice>>): string[] {
  return Object.entries(modes).flatMap(([mode, own]) => {
    if (typeof own !== "string") {
      return `${mode}: ${pricesText(model, { ...own, price_images: null })}`
    }
    return isOne(own) ? [] : `${mode} × ${own}`
  })
}

/** Describes the prices and service modes that differ in a period. */
function changesText(model: Model, period: PricePeriod): string {
  const usual = new Map(allPrices(model).map(({ label, price }) => [label, price]))
  const prices = pricesText(model, period, (label, price) => usual.get(label) !== price)
  const modes = modeTexts(model, period.modes)
  return [...(prices === "" ? [] : [prices]), ...modes].join(" · ")
}
