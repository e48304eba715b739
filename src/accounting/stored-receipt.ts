import { isJsonObject, type JsonObject } from "../canon/json.ts"

/**
 * Restores the members that the stored text of a receipt omits because they have their usual value. Rows are short, so
 * that six of them fit into a page: durable writes cost by the page. Members that are present are never changed, so a
 * complete receipt stays the same.
 * @param receipt the parsed text, which is changed in place because each report reads many receipts.
 */
export function restoreReceipt(receipt: JsonObject): JsonObject {
  receipt["first_byte_ms"] ??= null
  receipt["stream"] ??= false
  receipt["estimated"] ??= false
  receipt["losses"] ??= []
  if (receipt["deployment"] === undefined) receipt["deployment"] = receipt["model"] ?? null
  restoreRates(receipt)
  restoreAttempts(receipt)
  return receipt
}

/** Adds the rates of the price to lines without a rate of their own. */
function restoreRates({ price, arithmetic }: JsonObject): void {
  if (!Array.isArray(arithmetic) || !isJsonObject(price)) return
  const rates = price["per_million"]
  if (!isJsonObject(rates)) return
  for (const line of arithmetic) {
    if (isJsonObject(line)) line["per_million"] ??= rates[String(line["class"])]
  }
}

/** Adds the only attempt of a request that succeeded at once. */
function restoreAttempts(receipt: JsonObject): void {
  const { attempt_ms: duration, deployment } = receipt
  if (duration !== undefined) {
    receipt["attempts"] = [{ deployment, status: 200, outcome: "ok", duration }]
    delete receipt["attempt_ms"]
  } else if (!Array.isArray(receipt["attempts"])) receipt["attempts"] = []
}
