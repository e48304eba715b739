import { DAY_MS } from "#contract/durations.ts"
import type { PriceName } from "#contract/usage-classes.ts"
import { restoreReceipt } from "../../accounting/stored-receipt.ts"
import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { CREDENTIAL_MARK } from "../../catalog/model.ts"
import { parseCredits } from "../../ledger/money.ts"
import type { ReceiptRecord, TimeRange } from "../../store/settlements.ts"
import { type ReceiptReader, receiptsOfTime } from "../receipts-of-time.ts"
import { isPriceName, NANOCREDIT } from "./bill.ts"

const MILLION = 1_000_000n

interface UseGroup {
  /** The start of the day in UTC, in Unix milliseconds. */
  readonly day: number
  /** The provider's name for the model. */
  readonly model: string
  /** The name of the credential; empty for a provider with only one. */
  readonly key: string
}

/** Provider cost for a day, a model, a credential and a class. */
export interface LedgerUse extends UseGroup {
  /** The class of usage; null if the cost covers several classes. */
  readonly class: PriceName | null
  quantity: bigint
  /** The cost in units of 10^-18 credits. */
  amount: bigint
  /**
   * Whether some of the usage was not reported by the provider, because the gateway counted it or the call ended early.
   */
  isUncertain: boolean
  requests: number
  readonly tiers: Set<string>
}

/** Adds up the provider cost of all calls to a provider. */
export async function ledgerUses(
  reader: ReceiptReader,
  provider: string,
  days: TimeRange,
): Promise<LedgerUse[]> {
  const uses = new Uses(provider)
  for await (const receipt of receiptsOfTime(reader, days)) uses.add(receipt)
  return uses.all()
}

class Uses {
  readonly #uses = new Map<string, LedgerUse>()
  readonly #provider: string

  constructor(provider: string) {
    this.#provider = provider
  }

  all(): LedgerUse[] {
    return [...this.#uses.values()]
  }

  add({ at, body }: ReceiptRecord): void {
    const receipt = restoreReceipt(parseJsonObject(body) ?? {})
    const day = Math.floor(at / DAY_MS) * DAY_MS
    const group = this.#groupOf(receipt["deployment"], day)
    if (group) this.#addResponse(group, receipt)
    for (const attempt of objectsIn(receipt["attempts"])) {
      const lost = this.#groupOf(attempt["deployment"], day)
      const amount = amountOf(attempt["provider_cost"])
      if (!lost || amount === 0n) continue
      const use = this.#at(lost, null)
      use.amount += amount
      use.isUncertain = true
      use.requests++
    }
  }

  #addResponse(group: UseGroup, receipt: JsonObject): void {
    const cost = receipt["provider_cost"]
    if (cost !== undefined) {
      // The arithmetic uses prices other than the provider's, so the cost cannot be divided by class.
      const use = this.#at(group, null)
      const usage = receipt["usage_reported"] ?? receipt["usage"]
      count(use, receipt, isJsonObject(usage) ? quantityIn(usage) : 0n, amountOf(cost))
      use.requests++
      return
    }
    for (const [index, line] of objectsIn(receipt["arithmetic"]).entries()) {
      const name = String(line["class"])
      const model = typeof line["model"] === "string" ? modelIn(line["model"]) : group.model
      const use = this.#at({ ...group, model }, isPriceName(name) ? name : null)
      const quantity = wholeOf(line["quantity"])
      count(use, receipt, quantity, (quantity * amountOf(line["per_million"])) / MILLION)
      if (index === 0) use.requests++
    }
  }

  #groupOf(deployment: unknown, day: number): UseGroup | undefined {
    if (typeof deployment !== "string") return undefined
    if (!deployment.startsWith(`${this.#provider}/`)) return undefined
    const mark = deployment.lastIndexOf(CREDENTIAL_MARK)
    const model = modelIn(mark === -1 ? deployment : deployment.slice(0, mark))
    return { day, model, key: mark === -1 ? "" : deployment.slice(mark + 1) }
  }

  #at({ day, model, key }: UseGroup, name: PriceName | null): LedgerUse {
    const id = JSON.stringify([day, model, key, name])
    let use = this.#uses.get(id)
    if (use === undefined) {
      const empty = { quantity: 0n, amount: 0n, isUncertain: false, requests: 0 }
      use = { day, model, key, class: name, ...empty, tiers: new Set() }
      this.#uses.set(id, use)
    }
    return use
  }
}

function count(use: LedgerUse, receipt: JsonObject, quantity: bigint, amount: bigint): void {
  use.quantity += quantity
  use.amount += amount
  if (receipt["estimated"] === true) use.isUncertain = true
  if (!Array.isArray(receipt["modes"])) return
  for (const mode of receipt["modes"]) use.tiers.add(String(mode))
}

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** Returns the provider's name of the model in a deployment id. */
function modelIn(deployment: string): string {
  return deployment.slice(deployment.indexOf("/") + 1)
}

/** Adds up the priced classes, which do not overlap. Reasoning is a part of the output. */
function quantityIn(usage: JsonObject): bigint {
  let sum = 0n
  for (const [name, value] of Object.entries(usage)) if (isPriceName(name)) sum += wholeOf(value)
  return sum
}

function wholeOf(value: unknown): bigint {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : 0n
}

/** Converts credits of a receipt to units of 10^-18 credits. */
function amountOf(text: unknown): bigint {
  if (typeof text !== "string") return 0n
  try {
    return parseCredits(text) * NANOCREDIT
  } catch {
    return 0n
  }
}
