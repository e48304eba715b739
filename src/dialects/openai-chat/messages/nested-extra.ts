import { isJsonObject, type JsonObject, unknownFields } from "../../../canon/json.ts"

/** The unknown members of an object, and of the object inside it, in the same structure. */
export function nestedExtra(
  outer: JsonObject,
  known: ReadonlySet<string>,
  inner: string,
  knownInner: ReadonlySet<string>,
): JsonObject | undefined {
  const outside = unknownFields(outer, known)
  const object = outer[inner]
  const inside = isJsonObject(object) ? unknownFields(object, knownInner) : undefined
  return inside === undefined ? outside : { ...outside, [inner]: inside }
}

/** Puts an extra back where `nestedExtra` took it from. */
export function withNestedExtra(
  outer: JsonObject,
  inner: string,
  object: JsonObject,
  extra: JsonObject | undefined,
): JsonObject {
  const inside = extra?.[inner]
  return { ...outer, ...extra, [inner]: isJsonObject(inside) ? { ...object, ...inside } : object }
}
