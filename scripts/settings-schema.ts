/**
 * Writes tollgate.schema.json, a JSON Schema of `tollgate.yaml` for editors. `npm run pages` writes the file; a test
 * compares it with the declarations.
 */
import { join } from "node:path"
import { DECLARED_SETTINGS, type DeclaredSetting } from "../src/config/declared-settings.ts"
import { dialectsOf } from "../src/config/provider-rules.ts"
import type { Reader } from "../src/config/reading.ts"
import { fileReader } from "../src/config/schema.ts"
import { vendors } from "../src/vendors/index.ts"

export const SETTINGS_SCHEMA = join(import.meta.dir, "../tollgate.schema.json")

/** Returns the expected content of the file. */
export function settingsSchema(): string {
  const known = [...vendors.values()]
  const names = {
    vendors: known.map(({ id }) => id),
    dialects: [...new Set(known.flatMap(dialectsOf))],
    providers: [],
  }
  const schema = jsonSchemaOf(fileReader(names, "/"))
  for (const setting of DECLARED_SETTINGS) document(schema, setting)
  const members = Object.entries(membersOf(schema)).map(
    ([name, member]) => `    ${JSON.stringify(name)}: ${JSON.stringify(member)}`,
  )
  return `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Settings of Tollgate",
  "type": "object",
  "properties": {
${members.join(",\n")}
  },
  "patternProperties": { "^x-": { "description": "Ignored, for values that several entries share." } },
  "additionalProperties": false
}
`
}

interface JsonObject {
  properties?: Members
  anyOf?: readonly JsonObject[]
  [name: string]: unknown
}
type Members = Readonly<Record<string, JsonObject>>

/** Returns a copy of the JSON Schema of a reader. Readers share parts of their schemas. */
function jsonSchemaOf(reader: Reader<unknown>): JsonObject {
  return JSON.parse(JSON.stringify(reader.form()))
}

/** Adds the documentation and the default of a setting to its place in the schema. */
function document(schema: JsonObject, { name, documentation, ...setting }: DeclaredSetting): void {
  let place = schema
  for (const step of name.split(".")) place = membersOf(place)[step] ?? {}
  place["description"] = documentation.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
  const written = setting.default ?? setting.implied
  if (written === undefined) return
  place["default"] = /^(true|false|\d+)$/.test(written) ? JSON.parse(written) : written
}

/** Returns the properties of an object, which may be one of several alternatives. */
function membersOf({ properties, anyOf: alternatives = [] }: JsonObject): Members {
  return (properties ?? alternatives.find((one) => one.properties)?.properties ?? {}) as Members
}

if (import.meta.main) await Bun.write(SETTINGS_SCHEMA, settingsSchema())
