import { isJsonObject, type JsonObject, objectAt, textAt } from "../../../canon/json.ts"
import { mintId } from "../../shared/identifiers.ts"
import { isUnixTime, nowInSeconds } from "../../shared/time.ts"
import { ID_PREFIX } from "../identifiers.ts"
import { ownItem } from "../result/own-item.ts"
import { withTotal } from "../usage.ts"

/** The members that are the same throughout a stream. */
export interface ResponseHead {
  readonly id: string
  readonly createdAt: number
}

/**
 * Returns the head of a response. A vendor's own id is kept, because it refers to the response that the vendor has
 * stored.
 * @param earlier the head so far in the same stream.
 */
export function headOf(response: JsonObject, earlier?: ResponseHead): ResponseHead {
  const { created_at: created } = response
  return {
    id: textAt(response, "id") ?? earlier?.id ?? mintId(ID_PREFIX),
    createdAt: isUnixTime(created) ? created : (earlier?.createdAt ?? nowInSeconds()),
  }
}

/**
 * Adds, in place, the members that the specification guarantees in a response.
 * @param response may share nested lists and objects with other values, so these are not modified.
 */
export function completeResponse(response: JsonObject, { id, createdAt }: ResponseHead): void {
  response.id = id
  response.object = "response"
  response.created_at = createdAt
  response.output = Array.isArray(response.output)
    ? response.output.map((item) => (isJsonObject(item) ? ownItem(item) : item))
    : []
  const usage = objectAt(response, "usage")
  if (usage !== undefined) response.usage = withTotal(usage)
}
