import { writeFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "bun:test"
import fc from "fast-check"
import { type Value, Variables } from "../../../src/cli/import/variables.ts"
import { loadSettings } from "../../../src/config/load.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { planLiteLlm } from "../../../src/cli/import/litellm.ts"
import { settingsText } from "../../../src/cli/import/apply.ts"

const BUILT_IN = [...vendors.values()].flatMap(({ keyVariables }) => keyVariables)

/** Names that an import is likely to choose, and names that vendors use. */
const name = fc.constantFrom(
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "SOURCE_OPENAI_API_KEY",
  "SOURCE_OPENAI_API_KEY_2",
  "SOURCE_A_B_API_KEY",
  "MY_KEY",
)
const provider = fc.constantFrom("openai", "openai-2", "openai_2", "a-b", "a_b", "aws")
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.record({ text: fc.constantFrom("none", "sk-1", "sk-2", "sk-3") }),
  fc.record({ variable: name }),
  fc.record({ vault: provider }),
)

test("import assigns a unique environment variable to each secret", () => {
  const environments = fc.dictionary(name, fc.constantFrom("sk-1", "real"))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(provider, value)),
      fc.array(name),
      environments,
      (entries, mentioned, environment) => {
        const source = [...mentioned, ...entries.map(([, entry]) => JSON.stringify(entry))].join(
          " ",
        )
        const variables = new Variables("SOURCE", source, environment)
        const meanings = new Map<string, string>()
        for (const [id, entry] of entries) {
          const written = variables.written(entry, id, "api_key")
          const variable = /^\$\{(\w+)\}$/.exec(written)?.[1] ?? ""
          const meaning = JSON.stringify("text" in entry ? variables.values.get(variable) : entry)
          expect(meaning).toBe(JSON.stringify("text" in entry ? entry.text : entry))
          expect(meanings.get(variable) ?? meaning).toBe(meaning)
          meanings.set(variable, meaning)
          if ("variable" in entry) expect(variable).toBe(entry.variable)
          else expect([...BUILT_IN, ...mentioned, "AWS_SECRET_ACCESS_KEY"]).not.toContain(variable)
          if ("text" in entry) expect([undefined, entry.text]).toContain(environment[variable])
        }
        const own = new Set(variables.values.keys())
        for (const reference of variables.references.keys()) expect(own).not.toContain(reference)
      },
    ),
  )
})

const key = fc.constantFrom(
  undefined,
  "none",
  "sk-1234",
  "sk-other",
  "os.environ/OPENAI_API_KEY",
  "os.environ/LITELLM_OPENAI_API_KEY",
  "os.environ/LITELLM_OPENAI_COMPATIBLE_API_KEY",
  "os.environ/GROQ_API_KEY",
)
const base = fc.constantFrom(
  undefined,
  "http://127.0.0.1:8000/v1",
  "http://10.0.0.1/v1",
  "https://openrouter.ai/api/v1",
  "https://api.moonshot.cn/v1",
)
const prefix = fc.constantFrom("openai", "groq", "mistral", "anthropic")

test("import configures each server with only the key that the source uses there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"))
  const file = join(folder, "config.yaml")
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(prefix, key, base), { minLength: 1 }), async (entries) => {
        const list = entries.map(([vendor, apiKey, address], index) => ({
          model_name: `m${index}`,
          litellm_params: { model: `${vendor}/model-${index}`, api_key: apiKey, api_base: address },
        }))
        writeFileSync(file, JSON.stringify({ model_list: list }))
        const plan = await planLiteLlm(file, folder)
        const real = [...plan.variables.references].map(([name]) => [name, `real-${name}`] as const)
        const { settings } = loadSettings({
          vendors: [...vendors.values()],
          environment: {
            ...Object.fromEntries(real),
            ...Object.fromEntries(plan.variables.values),
          },
          file: join(folder, "imported.yaml"),
          text: settingsText(plan),
        })
        for (const [index, [vendor, apiKey, address]] of entries.entries()) {
          const id = settings.aliases?.[`m${index}`] ?? ""
          const [deployment] = settings.models[id]?.deployments ?? []
          const found = settings.providers[deployment?.provider ?? ""]
          expect(deployment?.model).toBe(`model-${index}`)
          expect(found?.apiKey).toBe(expectedKey(vendor, apiKey, address))
        }
      }),
      { numRuns: 60 },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Returns the expected key. The usual variable of a vendor is used only for the vendor's own server. */
function expectedKey(vendor: string, apiKey?: string, address?: string): string | undefined {
  if (apiKey !== undefined) return apiKey.replace("os.environ/", "real-")
  if (address === undefined) return `real-${vendor.toUpperCase()}_API_KEY`
  if (vendor === "anthropic") return undefined
  if (address.includes("openrouter")) return "real-OPENROUTER_API_KEY"
  return address.includes("moonshot") ? "real-MOONSHOT_CN_API_KEY" : undefined
}
