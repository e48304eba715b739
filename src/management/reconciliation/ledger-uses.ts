import type { PriceName } from "#contract/usage-classes.ts"
import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { CREDENTIAL_MARK } from "../../catalog/model.ts"
import { parseCredits } from "../../ledger/money.ts"
import type { ReceiptRecord } from "../../store/settlements.ts"
import { type ReceiptReader, receiptsOfTime } from "../receipts-of-time.ts"
import { AMOUNT_PLACES, type Days, isPriceName } from "./bill.ts"
import { DAY_MS } from "./bill-cells.ts"

/** Digits of an amount of credits in a receipt, and of its price for a million units. */
const CREDIT_PLACES = 9
const TO_AMOUNT = 10n ** BigInt(AMOUNT_PLACES - CREDIT_PLACES)
const MILLION = 1_000_000n

/** Provider cost that the receipts of a day have in common. */
export interface LedgerUse {
  /** The beginning of the day in UTC, Unix milliseconds. */
  readonly day: number
  /** The provider's name of the model. */
  readonly model: string
  /** The credential; empty for the only one of its provider. */
  readonly key: string
  /** Null: of several. */
  readonly class: PriceName | null
  quantity: bigint
  /** In units of 10^-18 credits. */
  amount: bigint
  /** The part of it that no report of the provider confirms: own counts, and calls that ended early. */
  uncertain: bigint
  requests: number
  readonly tiers: Set<string>
}

/** What the ledger has of the calls of a provider, by day, model, credential and class. */
export async function ledgerUses(
  reader: ReceiptReader,
  provider: string,
  days: Days,
): Promise<LedgerUse[]> {
  const uses = new Uses(provider)
  for await (const receipt of receiptsOfTime(reader, days)) uses.add(receipt)
  return uses.all()
}

interface Place {
  readonly day: number
  readonly model: string
  readonly key: string
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
    const receipt = parseJsonObject(body) ?? {}
    const day = Math.floor(at / DAY_MS) * DAY_MS
    const place = this.#placeOf(receipt["deployment"], day)
    if (place) this.#addAnswer(place, receipt)
    if (!Array.isArray(receipt["attempts"])) return
    for (const attempt of receipt["attempts"].filter(isJsonObject)) {
      const lost = this.#placeOf(attempt["deployment"], day)
      const amount = creditsOf(attempt["provider_cost"])
      if (!lost || amount === 0n) continue
      const use = this.#at(lost, null)
      use.amount += amount
      use.uncertain += amount
      use.requests++
    }
  }

  #addAnswer(place: Place, receipt: JsonObject): void {
    const isUncertain = receipt["estimated"] === true
    const lines = Array.isArray(receipt["arithmetic"])
      ? receipt["arithmetic"].filter(isJsonObject)
      : []
    const whole =
      receipt["provider_cost"] === undefined ? null : creditsOf(receipt["provider_cost"])
    const count = (use: LedgerUse, quantity: bigint, amount: bigint): void => {
      use.quantity += quantity
      use.amount += amount
      if (isUncertain) use.uncertain += amount
      if (Array.isArray(receipt["modes"]))
        for (const mode of receipt["modes"]) use.tiers.add(String(mode))
    }
    if (whole !== null) {
      // It is not by classes: their prices are those of the caller.
      const usage = receipt["usage_reported"] ?? receipt["usage"]
      const use = this.#at(place, null)
      count(use, isJsonObject(usage) ? quantitiesOf(usage) : 0n, whole)
      use.requests++
      return
    }
    let isFirst = true
    for (const line of lines) {
      const name = String(line["class"])
      const model = typeof line["model"] === "string" ? modelIn(line["model"]) : place.model
      const quantity = wholeOf(line["quantity"])
      const amount = (quantity * creditsOf(line["per_million"])) / MILLION
      const use = this.#at({ ...place, model }, isPriceName(name) ? name : null)
      count(use, quantity, amount)
      if (isFirst) use.requests++
      isFirst = false
    }
  }

  #placeOf(deployment: unknown, day: number): Place | undefined {
    if (typeof deployment !== "string") return undefined
    if (!deployment.startsWith(`${this.#provider}/`)) return undefined
    const mark = deployment.lastIndexOf(CREDENTIAL_MARK)
    const model = modelIn(mark === -1 ? deployment : deployment.slice(0, mark))
    return { day, model, key: mark === -1 ? "" : deployment.slice(mark + 1) }
  }

  #at({ day, model, key }: Place, name: PriceName | null): LedgerUse {
    const id = JSON.stringify([day, model, key, name])
    let use = this.#uses.get(id)
    if (use === undefined) {
      const nothing = { quantity: 0n, amount: 0n, uncertain: 0n, requests: 0 }
      use = { day, model, key, class: name, ...nothing, tiers: new Set() }
      this.#uses.set(id, use)
    }
    return use
  }
}

/** The provider's name in the id of a deployment. */
function modelIn(deployment: string): string {
  return deployment.slice(deployment.indexOf("/") + 1)
}

/** Reasoning is a part of the output. */
function quantitiesOf(usage: JsonObject): bigint {
  let sum = 0n
  for (const [name, value] of Object.entries(usage)) if (isPriceName(name)) sum += wholeOf(value)
  return sum
}

function wholeOf(value: unknown): bigint {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : 0n
}

/** Credits in a receipt, in units of 10^-18 credits. */
function creditsOf(text: unknown): bigint {
  if (typeof text !== "string") return 0n
  try {
    return parseCredits(text) * TO_AMOUNT
  } catch {
    return 0n
  }
}
