import { Table, Text } from "@mantine/core"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { type ArithmeticLine, workCharge } from "../../format/arithmetic.ts"
import { creditsText } from "../../format/credits.ts"
import { momentText } from "../../format/moments.ts"
import { countText } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"
import { joined, listText } from "../../format/lists.ts"

/** Shows the computation of a charge: the price of each usage class, the sum, the multiplier and the rounding. */
export function ArithmeticPanel({ receipt }: { readonly receipt: Receipt }) {
  const { arithmetic, price } = receipt
  if (arithmetic === null || price === null) {
    return (
      <Panel title={t("Cost")}>
        <Text size="sm">
          {receipt.status === "expired"
            ? t(
                "Nothing. The gateway stopped while this request was running. Its hold has been released.",
              )
            : t("Nothing. No response was delivered, so nothing was charged.")}
        </Text>
      </Panel>
    )
  }
  const worked = workCharge(arithmetic, price.multiplier)
  return (
    <Panel title={t("Cost")} description={priceSentences(receipt).join(" ")} isFlush>
      <Table.ScrollContainer
        minWidth={260}
        type="native"
        tabIndex={0}
        role="group"
        aria-label={t("How the charge was calculated")}
      >
        <Table
          horizontalSpacing="sm"
          className="figures arithmetic"
          aria-label={t("How the charge was calculated")}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Usage")}</Table.Th>
              <Table.Th ta="right">{t("Quantity")}</Table.Th>
              <Table.Th ta="right">{t("Per million")}</Table.Th>
              <Table.Th ta="right">{t("Credits")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {worked.lines.map(({ line, amount }) => (
              <Table.Tr key={`${line.class} ${line.model ?? ""}`}>
                <Table.Td>
                  {word(line.class)}
                  {line.model !== undefined && `, ${line.model}`}
                </Table.Td>
                <Table.Td ta="right">{countOf(line)}</Table.Td>
                <Table.Td ta="right">× {creditsText(line.per_million)}</Table.Td>
                <Table.Td ta="right">{amount}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Total label={t("Sum")} value={worked.sum} />
            <Multiplier multiplier={price.multiplier} product={worked.product} />
            {worked.rounded !== worked.product && (
              <Total label={t("Rounded up to the nanocredit")} value={worked.rounded} />
            )}
            <Total label={t("Charged")} value={receipt.charged} isResult />
            {receipt.provider_cost !== undefined && (
              <Total label={t("Vendor cost")} value={receipt.provider_cost} />
            )}
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

/** Describes the applied prices: the period, the price group, the service mode unless it was the default. */
function priceSentences({ price, modes = [], unpriced = [], estimated }: Receipt): string[] {
  const { period, group } = price ?? {}
  return [
    t("Credits per million units, at the price in effect at the time."),
    ...(period === undefined ? [] : [periodText(period)]),
    ...(group === undefined
      ? []
      : [t("Price group {id}, since {from}.", { id: group.id, from: momentText(group.from) })]),
    ...(modes.length === 0 ? [] : [t("Served as {modes}.", { modes: listText(modes) })]),
    ...(unpriced.length === 0
      ? []
      : [t("Without a price: {fields}.", { fields: joined(unpriced) })]),
    ...(estimated ? [t("The gateway counted the usage, because the vendor reported none.")] : []),
  ]
}

type Period = NonNullable<NonNullable<Receipt["price"]>["period"]>

function periodText({ name, from, until }: Period): string {
  const times = [
    ...(from === null ? [] : [t("since {moment}", { moment: momentText(from) })]),
    ...(until === null ? [] : [t("until {moment}", { moment: momentText(until) })]),
  ].join(" ")
  if (name === null) return t("Price period: {times}.", { times })
  return times === ""
    ? t('Price period "{name}".', { name })
    : t('Price period "{name}", {times}.', { name, times })
}

interface MultiplierProperties {
  readonly multiplier: string
  readonly product: string
}

/** Shows the multiplier, unless the rates include it because the user does not see costs. */
function Multiplier({ multiplier, product }: MultiplierProperties) {
  const { shows_costs: showsCosts } = useSession()
  return (
    showsCosts && <Total label={t("× multiplier {multiplier}", { multiplier })} value={product} />
  )
}

interface TotalProperties {
  readonly label: string
  readonly value: string
  readonly isResult?: boolean
}

function Total({ label, value, isResult = false }: TotalProperties) {
  return (
    <Table.Tr>
      <Table.Th scope="row" colSpan={3} fw={isResult ? 700 : 400}>
        {label}
      </Table.Th>
      <Table.Td ta="right" fw={isResult ? 700 : 400}>
        {value}
      </Table.Td>
    </Table.Tr>
  )
}

function countOf({ quantity, is_minimum: isMinimum }: ArithmeticLine): string {
  const count = Number.isInteger(quantity) ? countText(quantity) : String(quantity)
  return isMinimum ? t("{count} (minimum)", { count }) : count
}
