/** A parsed JSON object. */
type Members = Record<string, unknown>

/**
 * Restores members that the stored text of a receipt omits because they have their usual value. Stored rows are short
 * so that six fit into a database page, which makes durable writes cheaper. Members in the text are never changed, so a
 * complete receipt stays the same.
 * @param given the parsed text, which is changed in place because reports read many receipts.
 */
export function restoreReceipt<Receipt extends Members>(given: Receipt): Receipt {
  const receipt: Members = given
  receipt["first_byte_ms"] ??= null
  receipt["stream"] ??= false
  receipt["estimated"] ??= false
  receipt["losses"] ??= []
  if (receipt["deployment"] === undefined) receipt["deployment"] = receipt["model"] ?? null
  restoreRates(receipt)
  restoreAttempts(receipt)
  return given
}

/** Adds the rates of the price to arithmetic lines without a rate. */
function restoreRates({ price, arithmetic }: Members): void {
  if (!Array.isArray(arithmetic) || !isObject(price)) return
  const rates = price["per_million"]
  if (!isObject(rates)) return
  for (const line of arithmetic) {
    if (isObject(line)) line["per_million"] ??= rates[String(line["class"])]
  }
}

/** Restores the only attempt of a request whose first attempt succeeded. */
function restoreAttempts(receipt: Members): void {
  const { attempt_ms: duration, deployment } = receipt
  if (duration !== undefined) {
    receipt["attempts"] = [{ deployment, status: 200, outcome: "ok", duration }]
    delete receipt["attempt_ms"]
  } else if (!Array.isArray(receipt["attempts"])) receipt["attempts"] = []
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
