import { Table, Text } from "@mantine/core"
import type { Receipt } from "tollgate-contract/receipts.ts"
import { type ArithmeticLine, workCharge } from "../../format/arithmetic.ts"
import { creditsText } from "../../format/credits.ts"
import { momentText } from "../../format/moments.ts"
import { countText } from "../../format/numbers.ts"
import { useSession } from "../../session.tsx"
import { Panel } from "../../ui/panel.tsx"

/** Shows the computation of a charge: the price of each usage class, the sum, the multiplier and the rounding. */
export function ArithmeticPanel({ receipt }: { readonly receipt: Receipt }) {
  const { arithmetic, price } = receipt
  if (arithmetic === null || price === null) {
    return (
      <Panel title="Cost">
        <Text size="sm">
          Nothing.{" "}
          {receipt.status === "expired"
            ? "The gateway stopped while this request was running. Its hold has been released."
            : "No response was delivered, so nothing was charged."}
        </Text>
      </Panel>
    )
  }
  const worked = workCharge(arithmetic, price.multiplier)
  return (
    <Panel
      title="Cost"
      description={`Credits per million units, at the price in effect at the time${periodText(receipt)}${groupText(receipt)}${servedText(receipt)}.${estimateText(receipt)}`}
      isFlush
    >
      <Table.ScrollContainer
        minWidth={260}
        type="native"
        tabIndex={0}
        role="group"
        aria-label="How the charge was calculated"
      >
        <Table
          horizontalSpacing="sm"
          className="figures arithmetic"
          aria-label="How the charge was calculated"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Usage</Table.Th>
              <Table.Th ta="right">Quantity</Table.Th>
              <Table.Th ta="right">Per million</Table.Th>
              <Table.Th ta="right">Credits</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {worked.lines.map(({ line, amount }) => (
              <Table.Tr key={`${line.class} ${line.model ?? ""}`}>
                <Table.Td>
                  {line.class.replaceAll("_", " ")}
                  {line.model !== undefined && `, ${line.model}`}
                </Table.Td>
                <Table.Td ta="right">{countOf(line)}</Table.Td>
                <Table.Td ta="right">× {creditsText(line.per_million)}</Table.Td>
                <Table.Td ta="right">{amount}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Total label="Sum" value={worked.sum} />
            <Multiplier multiplier={price.multiplier} product={worked.product} />
            {worked.rounded !== worked.product && (
              <Total label="Rounded up to the nanocredit" value={worked.rounded} />
            )}
            <Total label="Charged" value={receipt.charged} isResult />
            {receipt.provider_cost !== undefined && (
              <Total label="Vendor cost" value={receipt.provider_cost} />
            )}
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

/** Returns the name of the price period, if a period applied. */
function periodText({ price }: Receipt): string {
  const period = price?.period
  if (period === undefined) return ""
  const { name, from, until } = period
  const parts = [
    name === null ? "period" : `period "${name}"`,
    ...(from === null ? [] : [`since ${momentText(from)}`]),
    ...(until === null ? [] : [`until ${momentText(until)}`]),
  ]
  return ` (${parts.join(" ")})`
}

/** Returns the price group, if one applied. */
function groupText({ price }: Receipt): string {
  const group = price?.group
  return group === undefined ? "" : `, in price group ${group.id} since ${momentText(group.from)}`
}

/** Returns the service mode, unless it was the default, and the fields that have no price. */
function servedText({ modes = [], unpriced = [] }: Receipt): string {
  const served = modes.length === 0 ? "" : `, served as ${modes.join(" and ")}`
  return unpriced.length === 0 ? served : `${served}; without a price: ${unpriced.join(", ")}`
}

function estimateText({ estimated }: Receipt): string {
  return estimated ? " The gateway counted the usage, because the vendor reported none." : ""
}

interface MultiplierProperties {
  readonly multiplier: string
  readonly product: string
}

/** Shows the multiplier, unless the rates include it because the user does not see costs. */
function Multiplier({ multiplier, product }: MultiplierProperties) {
  const { shows_costs: showsCosts } = useSession()
  return showsCosts && <Total label={`× multiplier ${multiplier}`} value={product} />
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
  return isMinimum ? `${count} (minimum)` : count
}
