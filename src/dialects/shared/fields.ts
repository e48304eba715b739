import type { JsonObject, JsonValue } from "../../canon/json.ts"

type OptionalKey<Members> = {
  [Key in keyof Members]: undefined extends Members[Key] ? Key : never
}[keyof Members]

type Defined<Members> = Omit<Members, OptionalKey<Members>> & {
  readonly [Key in OptionalKey<Members>]?: Exclude<Members[Key], undefined>
}

/** Returns an object without members that are undefined. */
export function defined<const Members extends object>(members: Members): Defined<Members> {
  const kept: Partial<Members> = {}
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name]
  return kept as Defined<Members>
}

/** Sets a member unless the value is undefined. */
export function setDefined(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) object[name] = value
}
