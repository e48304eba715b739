import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { switchesOf } from "../../src/vendors/priced-features/index.ts"
import { unknownFieldsOf } from "../../src/vendors/priced-features/unknown-fields.ts"

export type Format = DialectId | "operation"

/** Returns the paths of the unknown fields of a body at a vendor. */
export function unknownIn(vendor: string, format: Format, body: JsonObject): readonly string[] {
  const switches = switchesOf(vendor, format === "operation" ? "openai-chat" : format)
  return unknownFieldsOf(format, switches)
    .find(body, 100)
    .map(({ place }) => place)
}
