import { mintId } from "../../canon/identifiers.ts"
import { isJsonObject, type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import { nowInSeconds } from "./response.ts"
import { ID_PREFIX } from "./wire.ts"

/** What all of a stream tells alike. */
export interface ResponseHead {
  readonly id: string
  readonly createdAt: number
}

/**
 * The head of a response: a vendor's own id names what the vendor keeps, and stays as it is.
 * @param told before, in the same stream.
 */
export function headOf(response: JsonObject, told?: ResponseHead): ResponseHead {
  const { created_at: created } = response
  return {
    id: textAt(response, "id") ?? told?.id ?? mintId(ID_PREFIX),
    createdAt: Number.isInteger(created)
      ? (created as number)
      : (told?.createdAt ?? nowInSeconds()),
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

function withTotal(usage: JsonObject): JsonObject {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  if (typeof total === "number" || typeof input !== "number" || typeof output !== "number") {
    return usage
  }
  return { ...usage, total_tokens: input + output }
}
