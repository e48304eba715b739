import { isJsonObject, type JsonObject, unknownFields } from "../../../canon/json.ts"

/** Returns the unknown members of an object and of the object nested in it, in the same structure. */
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

/** Adds the members of an extra to the objects from which `nestedExtra` took them. */
export function withNestedExtra(
  outer: JsonObject,
  inner: string,
  object: JsonObject,
  extra: JsonObject | undefined,
): JsonObject {
  const inside = extra?.[inner]
  return { ...outer, ...extra, [inner]: isJsonObject(inside) ? { ...object, ...inside } : object }
}
