import { type JsonObject, type JsonValue, unknownFields } from "../../../canon/json.ts"

/** Members of a candidate that have a name in the canon. */
const CANDIDATE_FIELDS = new Set(["content", "finishReason", "index"])

/** What only this dialect knows of a candidate; empty members, which streams are full of, left out. */
export function candidateExtra(candidate: JsonObject): JsonObject | undefined {
  const fields = unknownFields(candidate, CANDIDATE_FIELDS)
  for (const name in fields) {
    if (isEmpty(fields[name])) delete fields[name]
  }
  return fields === undefined || isEmpty(fields) ? undefined : fields
}

function isEmpty(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0
}
