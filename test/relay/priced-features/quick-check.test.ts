import { expect, test } from "bun:test"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import {
  findSwitches,
  maySetSwitch,
  type RequestFormat,
} from "../../../src/relay/priced-features/find-switches.ts"
import { BILLABLE, USUAL_BILLABLE } from "../../../src/vendors/priced-features/index.ts"

const MEMBERS = ["zzz", "font_inputs", "name", "type", "url", "references", "enabled", "quality"]
const VALUES: readonly JsonValue[] = ["web_search", 3, true, ["u"], [{ a: 1 }], { a: 1 }]

/** Returns a body with a value at a path such as `provider.order`. The object at the path may be in a list. */
function bodyWith(path: string, object: JsonObject, isList: boolean): JsonObject {
  const [name = "", ...rest] = path.replaceAll("[]", "").split(".")
  const inner = rest.length === 0 ? object : bodyWith(rest.join("."), object, isList)
  return { [name]: isList && rest.length === 0 ? [inner] : inner }
}

test("the quick check finds each request that a vendor's table rejects or charges", () => {
  const missed: string[] = []
  const tables = [...Object.entries(BILLABLE), ["other vendors", USUAL_BILLABLE] as const]
  for (const [vendor, byFormat] of tables) {
    for (const [format, switches] of Object.entries(byFormat)) {
      const { fields, closed = [], options = {} } = switches
      const paths = [...fields.map(({ path }) => path), ...closed, ...Object.keys(options)]
      for (const path of new Set(paths)) {
        for (const member of MEMBERS) {
          for (const value of VALUES) {
            for (const isList of [false, true]) {
              const body = { model: "m", ...bodyWith(path, { [member]: value }, isList) }
              const found = findSwitches(body, switches, format as RequestFormat)
              if (found.length > 0 && !maySetSwitch(body, format as RequestFormat)) {
                missed.push(`${vendor} ${format} ${path}.${member}`)
              }
            }
          }
        }
      }
    }
  }
  expect([...new Set(missed)]).toEqual([])
})
