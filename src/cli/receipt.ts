import { showWholeReceipt } from "../relay/billing/receipt.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import { formatDecimal } from "#contract/decimal.ts"
import { parseCredits } from "../ledger/money.ts"
import { type Column, formatFields, formatTable, type Style } from "./output.ts"

/** `tollgate receipt ID` */
export const registerReceipt: RegisterCommand = (program, terminal) => {
  program
    .command("receipt")
    .description("explain the charge for one request")
    .argument("<ID>", "id of the request, from the response header x-request-id")
    .action(async (id: string, _options: object, command) => {
      const receipt = await withInstallation(command, ({ store }) =>
        store.settlements.findReceipt(id),
      )
      if (!receipt) {
        throw new CommandError(
          "not_found",
          `there is no receipt '${id}'`,
          "Its id is the x-request-id of the response. A request that was rejected before it held credits has no receipt.",
        )
      }
      const shown = showWholeReceipt(receipt)
      outputOf(command, terminal).result(shown, (style) =>
        describeReceipt(shown as unknown as ShownReceipt, style),
      )
    })
}

/** A receipt in the form that `showReceipt` returns. Amounts are decimal credits. */
export interface ShownReceipt {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly duration_ms: number
  readonly account: string
  readonly key: string
  readonly endpoint: string
  readonly model: string
  readonly requested_model?: string
  readonly deployment: string | null
  readonly estimated: boolean
  readonly price: {
    readonly multiplier: string
    readonly period?: {
      readonly name: string | null
      readonly from: string | null
      readonly until: string | null
    }
  } | null
  readonly arithmetic:
    | readonly {
        readonly class: string
        readonly quantity: number
        readonly is_minimum?: true
        readonly per_million: string
        readonly model?: string
      }[]
    | null
  readonly modes?: readonly string[]
  readonly unpriced?: readonly string[]
  readonly cost: string
  readonly charged: string
  readonly write_offs: readonly { readonly amount: string; readonly reason: string }[]
  readonly late: boolean
  readonly hold: string
  readonly attempts: readonly {
    deployment: string
    status: number
    outcome: string
    duration: number
  }[]
  readonly entry: {
    readonly number: number
    readonly balance: string
    readonly hash: string
  } | null
}

/** Formats `off-peak, since 2026-11-26T10:00:00.000Z, until 2026-11-27T01:00:00.000Z`. */
function periodText({
  name,
  from,
  until,
}: NonNullable<NonNullable<ShownReceipt["price"]>["period"]>): string {
  const parts = [name, from && `since ${from}`, until && `until ${until}`]
  return parts.filter((part) => part !== null).join(", ")
}

const ATTEMPT_COLUMNS: readonly Column<ShownReceipt["attempts"][number]>[] = [
  { title: "ATTEMPT", cell: ({ deployment }) => deployment },
  { title: "STATUS", align: "right", cell: ({ status }) => String(status) },
  { title: "OUTCOME", cell: ({ outcome }) => outcome },
  { title: "MS", align: "right", cell: ({ duration }) => String(duration) },
]

/** Formats a receipt as text, with the called deployments and the exact arithmetic. */
export function describeReceipt(receipt: ShownReceipt, style: Style): string {
  const facts = formatFields(
    [
      ["receipt", receipt.id],
      ["status", receipt.status + remarksOn(receipt)],
      ["at", `${receipt.created_at}, ${receipt.duration_ms} ms`],
      ["account", `${receipt.account}, key ${receipt.key}`],
      ["request", `${receipt.endpoint} ${receipt.model}${requestedAs(receipt)}`],
      ["answered by", receipt.deployment ?? "none"],
      ...listed("price period", receipt.price?.period && [periodText(receipt.price.period)]),
      ...listed("served as", receipt.modes),
      ...listed("without a price", receipt.unpriced),
      ["held", `${receipt.hold} credits`],
    ],
    style,
  )
  const attempts = formatTable(ATTEMPT_COLUMNS, receipt.attempts, style)
  return [facts, attempts, describeArithmetic(receipt, style), describeLedger(receipt, style)]
    .filter((part) => part !== "")
    .join("\n\n")
}

function remarksOn({ estimated, late }: ShownReceipt): string {
  const remarks = [
    ...(estimated ? ["usage estimated by the gateway"] : []),
    ...(late ? ["late: settled after its process was considered dead"] : []),
  ]
  return remarks.length === 0 ? "" : ` (${remarks.join("; ")})`
}

/** Returns the requested name if it differs from the model. */
function requestedAs({ requested_model: name }: ShownReceipt): string {
  return name === undefined ? "" : `, requested as ${name}`
}

function listed(name: string, values: readonly string[] = []): [string, string][] {
  return values.length === 0 ? [] : [[name, values.join(", ")]]
}

type UsageLine = NonNullable<ShownReceipt["arithmetic"]>[number]

const USAGE_COLUMNS: readonly Column<UsageLine>[] = [
  {
    title: "USAGE",
    cell: ({ class: name, model }) => (model === undefined ? name : `${name} (${model})`),
  },
  {
    title: "QUANTITY",
    align: "right",
    cell: ({ quantity, is_minimum }) => (is_minimum ? `${quantity} (minimum)` : String(quantity)),
  },
  { title: "CREDITS PER MILLION", align: "right", cell: ({ per_million }) => per_million },
  { title: "CREDITS", align: "right", cell: (line) => millionth(costOf(line)) },
]

/** Returns the cost of a line in nanocredits, multiplied by a million. */
function costOf({ quantity, per_million }: UsageLine): bigint {
  return BigInt(Math.ceil(quantity)) * parseCredits(per_million)
}

function describeArithmetic(receipt: ShownReceipt, style: Style): string {
  const { arithmetic, price } = receipt
  if (!arithmetic || !price) return ""
  const sum = arithmetic.reduce((total, line) => total + costOf(line), 0n)
  const lines = formatTable(USAGE_COLUMNS, arithmetic, style)
  return `${lines}\n\nsum ${millionth(sum)} x multiplier ${price.multiplier} = ${receipt.cost} credits, rounded up to the nanocredit`
}

/** Formats a product of units and nanocredits per million as credits. Fifteen decimal places are exact. */
function millionth(product: bigint): string {
  return formatDecimal(product, 15)
}

function describeLedger(receipt: ShownReceipt, style: Style): string {
  const { entry, charged, write_offs } = receipt
  const written = write_offs.map(({ amount, reason }): [string, string] => [
    "written off",
    `${amount} credits: ${reason.replaceAll("_", " ")}`,
  ])
  if (!entry) {
    const nothing = `charged ${charged} credits: the ledger has no entry`
    return written.length === 0 ? nothing : `${nothing}\n${formatFields(written, style)}`
  }
  return formatFields(
    [
      ...written,
      ["charged", `${charged} credits`],
      ["entry", `${entry.number}, balance after it ${entry.balance} credits`],
      ["hash", entry.hash],
    ],
    style,
  )
}
