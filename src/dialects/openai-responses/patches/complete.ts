import { isJsonObject, type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { quantityOf } from "../../../canon/quantity.ts"
import { mintId } from "../../shared/identifiers.ts"
import { nowInSeconds } from "../../shared/time.ts"
import { ID_PREFIX } from "../identifiers.ts"

/** What is the same in all of a stream. */
export interface ResponseHead {
  readonly id: string
  readonly createdAt: number
}

/**
 * The head of a response: a vendor's own id names what the vendor keeps, and stays as it is.
 * @param earlier what the same stream has said before.
 */
export function headOf(response: JsonObject, earlier?: ResponseHead): ResponseHead {
  const { created_at: created } = response
  return {
    id: textAt(response, "id") ?? earlier?.id ?? mintId(ID_PREFIX),
    createdAt: Number.isInteger(created)
      ? (created as number)
      : (earlier?.createdAt ?? nowInSeconds()),
  }
}

/**
 * Puts into a vendor's response, in place, what the specification says is always there.
 * @param response whose lists and objects may be shared, and are left as they are.
 */
export function completeResponse(response: JsonObject, { id, createdAt }: ResponseHead): void {
  response.id = id
  response.object = "response"
  response.created_at = createdAt
  response.output = Array.isArray(response.output) ? response.output.map(completeItem) : []
  const usage = objectAt(response, "usage")
  if (usage !== undefined) response.usage = withTotal(usage)
}

function completeItem<Item>(item: Item): Item {
  if (!isJsonObject(item) || item.type !== "message" || item.role === "assistant") return item
  return { ...item, role: "assistant" }
}

/** Counts as numbers, and their sum; a vendor that counts nothing is left at that. */
function withTotal(usage: JsonObject): JsonObject {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  if (typeof input === "number" && typeof output === "number" && typeof total === "number") {
    return usage
  }
  const read = quantityOf(input)
  const written = quantityOf(output)
  if (read === undefined && written === undefined) return usage
  const [input_tokens, output_tokens] = [read ?? 0, written ?? 0]
  const total_tokens = typeof total === "number" ? total : input_tokens + output_tokens
  return { ...usage, input_tokens, output_tokens, total_tokens }
}
