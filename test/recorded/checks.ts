import { expect } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import type { TestCaller } from "../support/gateway.ts"
import { creditsText, plainCost, plainUsage, shown } from "./plain-price.ts"

/** A receipt's members that these tests look at. */
export interface Receipt {
  readonly status: string
  readonly usage: Readonly<Record<string, number>> | null
  readonly estimated: boolean
  readonly charged: string
  readonly losses: readonly unknown[]
}

export async function receiptOf(caller: TestCaller, requestId: string): Promise<Receipt> {
  const response = await caller.get(`/v1/receipts/${requestId}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Receipt
}

/** What was paid, and by which request. */
export interface Payment {
  readonly requestId: string
  /** The balance before and after, nanocredits. */
  readonly before: bigint
  readonly after: bigint
}

/**
 * The balance fell by exactly the price of the vendor's raw usage, and the receipt says the same. Where
 * the vendor reported none, our own count is charged and marked as such.
 * @returns the charge in credits.
 */
export async function expectPaid(
  caller: TestCaller,
  payment: Payment,
  raw: JsonObject | undefined,
): Promise<string> {
  const { requestId, before, after } = payment
  const receipt = await receiptOf(caller, requestId)
  expect(receipt.status).toBe("settled")
  expect(receipt.charged).toBe(creditsText(before - after))
  expect(receipt.estimated).toBe(raw === undefined)
  if (raw === undefined) {
    expect(before - after).toBeGreaterThan(0n)
  } else {
    const usage = plainUsage(raw)
    expect(receipt.usage).toEqual(shown(usage))
    expect(before - after).toBe(plainCost(usage))
  }
  return receipt.charged
}
