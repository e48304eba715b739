import { describe, expect, test } from "bun:test"
import { listedModels } from "../../src/cli/listed-models.ts"
import { aliasLine, readAliases } from "../../src/config/aliases.ts"
import { Fault } from "../../src/config/reading.ts"
import { vendors } from "../../src/vendors/index.ts"
import { load } from "./harness.ts"

const PROVIDERS = `
providers:
  openai: { vendor: openai, api_key: secret }
  mine: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  mine/llama: { price: { input: 1, output: 1 } }
`

const REAL = { vendors: [...vendors.values()], modelsOf: listedModels }

describe("aliases in the settings", () => {
  test("map names to models, in a YAML mapping or on one line", () => {
    const table = { "gpt-4o": "openai/gpt-5.4", fast: "mine/llama" }
    const written = load(
      `${PROVIDERS}
aliases:
  gpt-4o: openai/gpt-5.4
  fast: mine/llama
`,
      {},
      REAL,
    )
    expect(written.settings.aliases).toEqual(table)
    expect(written.written).toEqual(["aliases"])
    const line = load(`${PROVIDERS}
aliases: "gpt-4o=openai/gpt-5.4, fast=mine/llama"
`)
    expect(line.settings.aliases).toEqual(table)
    expect(aliasLine(table)).toBe("gpt-4o=openai/gpt-5.4, fast=mine/llama")
    expect(load(PROVIDERS).settings.aliases).toBeUndefined()
    expect(load(`${PROVIDERS}\naliases:\n`).settings.aliases).toBeUndefined()
  })

  test("cannot refer to a missing model, and the error contains the line number", () => {
    const text = `${PROVIDERS}
aliases:
  fast: mine/llama
  slow: openai/gpt-5.44
`
    expect(() => load(text, {}, REAL)).toThrow(
      /yaml:\d+:\d+: aliases\.slow: leads to 'openai\/gpt-5\.44', and there is no such model\. Did you mean 'openai\/gpt-5\.4'\?/,
    )
    // Aliases that the console has set are not known yet, and none of these aliases refers to another.
    const { settings } = load(`${PROVIDERS}\naliases: { fast: console/llama }\n`, {}, REAL)
    expect(settings.aliases).toEqual({ fast: "console/llama" })
    expect(() => load(`${PROVIDERS}\naliases: { a: b, b: mine/llama }\n`)).toThrow(/aliases\.a/)
  })

  test("cannot have names with spaces, commas or equals signs", () => {
    for (const name of ["a b", "a,b", "a=b", '""']) {
      const text = `${PROVIDERS}\naliases: { ${JSON.stringify(name)}: mine/llama }\n`
      expect(() => load(name === '""' ? text.replace('\\"\\"', "") : text)).toThrow(
        /an alias must be/,
      )
    }
  })

  test("can be on one line, which is accepted or rejected as a whole", () => {
    for (const text of ["", "a", "a=", "=b/c", "a=b", "a=b/c,", "a=b/c d", "a=b/c, a=b/d"]) {
      expect([text, readAliases(text) instanceof Fault]).toEqual([text, true])
    }
    expect(readAliases(" a = b/c=d ,e=f/g:h ")).toEqual({ a: "b/c=d", e: "f/g:h" })
  })
})
