import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { GatewayError } from "../../src/canon/errors.ts"
import { errorWithoutProviders, withoutProviderNames } from "../../src/canon/provider-names.ts"

test.each([
  ["Provider 'azure-eu' cannot be reached.", "The provider cannot be reached."],
  ["The stream of provider 'azure-eu' ended.", "The stream of the provider ended."],
  ["The provider 'azure-eu' is slow.", "The provider is slow."],
  ["Two providers serve 'azure-eu'.", "Two providers serve 'azure-eu'."],
])("withoutProviderNames removes the name of a provider from %p", (message, shown) => {
  expect(withoutProviderNames(message)).toBe(shown)
})

test("errorWithoutProviders keeps the kind and the details of an error", () => {
  const details = { parameter: "model", retryAfter: 3 }
  const error = new GatewayError("upstream_error", "Provider 'one' failed.", details)
  const shown = errorWithoutProviders(error)
  expect(shown.message).toBe("The provider failed.")
  expect(shown).toMatchObject({ kind: "upstream_error", details })
})

describe("errors of the relay", () => {
  const folder = Bun.fileURLToPath(new URL("../../src/relay", import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const texts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
  /** Texts with a provider's name, except internal errors, which callers do not receive. */
  const named = texts.flatMap((text) =>
    [...text.matchAll(/`[^`]*\$\{[^}`]*\bprovider\}[^`]*`/g)]
      .filter(({ index }) => !text.slice(0, index).endsWith("throw new Error("))
      .map(([words]) => words),
  )

  test("name providers only in the form that errorWithoutProviders removes", () => {
    expect(named.length).toBeGreaterThan(10)
    const others = named.filter((words) => !/provider '\$\{[^}]*\bprovider\}'/i.test(words))
    expect(others).toEqual([])
  })
})
