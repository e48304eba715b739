import { describe, expect, test } from "bun:test"
import type { LoadedSettings } from "../../src/config/load.ts"
import { vendors } from "../../src/vendors/index.ts"
import { KEY_FILE, load as loadText, problems } from "../config/harness.ts"
import { ANY_REQUEST } from "./support.ts"

const options = { vendors: [...vendors.values()] }
const load = (text: string, environment: Record<string, string> = {}): LoadedSettings =>
  loadText(text, environment, options)

/** Settings for one provider of each vendor that needs more than a key. */
const WRITTEN: Readonly<Record<string, string>> = {
  azure: 'api_key: k, base_url: "https://mine.openai.azure.com"',
  bedrock: "region: us-east-1, api_key: k",
  vertex: `credentials: '${JSON.stringify(KEY_FILE)}'`,
  cloudflare: "api_key: k, account: 0a1b2c3d",
  databricks: 'api_key: k, account: "https://adb-1.2.azuredatabricks.net/"',
  snowflake: "api_key: k, account: MYORG-my_account",
  tollgate: 'base_url: "http://here/v1"',
  "openai-compatible": 'base_url: "http://here/v1", dialects: [openai-chat, anthropic-messages]',
}

describe("required settings of a provider", () => {
  for (const [id, vendor] of vendors) {
    test(`suffice to call the provider: ${id}`, () => {
      const entry = WRITTEN[id] ?? "api_key: k"
      const { settings, warnings } = load(`providers: { mine: { vendor: ${id}, ${entry} } }`)
      expect(warnings).toEqual([])
      const { mine } = settings.providers
      if (!mine) throw new Error("there is no provider")
      const base = vendor.baseUrlOf(mine)
      expect(base).toMatch(/^https?:\/\/.+[^/]$/)
      for (const { path } of vendor.chat) {
        expect(URL.canParse(`${base ?? ""}${path("a model", true)}`)).toBe(true)
      }
      if (id !== "vertex") expect(vendor.signer(mine).sign(ANY_REQUEST)).not.toBeInstanceOf(Promise)
      const probe = vendor.probe(mine)
      expect("url" in probe ? URL.canParse(probe.url) : probe.known.length > 0).toBe(true)
    })
  }

  test("cause an error if one of them is missing", () => {
    for (const [vendor, wanted] of [
      ["azure", "needs a base_url"],
      ["bedrock", "needs api_key and region"],
      ["vertex", "needs credentials"],
      ["openai-compatible", "needs a base_url"],
      ["cloudflare", "needs account"],
      ["tollgate", "needs a base_url"],
    ] as const) {
      const [fault] = problems(`providers: { mine: { vendor: ${vendor} } }`, {}, options)
      expect(fault).toStartWith(`1:20 providers.mine: ${wanted}`)
    }
  })
})

test("every vendor can be added by setting its environment variables", () => {
  const environment: Record<string, string> = {
    AZURE_OPENAI_ENDPOINT: "https://mine.openai.azure.com/",
    AWS_ACCESS_KEY_ID: "AKID",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "us-east-1",
    GOOGLE_APPLICATION_CREDENTIALS: JSON.stringify(KEY_FILE),
    GOOGLE_CLOUD_PROJECT: "mine",
    GOOGLE_CLOUD_LOCATION: "europe-west4",
    CLOUDFLARE_ACCOUNT_ID: "0a1b2c3d",
    DATABRICKS_HOST: "https://adb-1.2.azuredatabricks.net",
    SNOWFLAKE_ACCOUNT: "myorg-my_account",
  }
  for (const { id, keyVariables } of vendors.values()) {
    const [variable] = keyVariables
    if (variable !== undefined && id !== "bedrock") environment[variable] = "k"
  }
  const { settings, warnings } = load("", environment)
  expect(warnings).toEqual([])
  const keyless = "ollama vllm lm-studio llama-cpp litellm tollgate openai-compatible".split(" ")
  expect(Object.keys(settings.providers).toSorted()).toEqual(
    [...vendors.keys()].filter((id) => !keyless.includes(id)).toSorted(),
  )
  for (const [id, provider] of Object.entries(settings.providers)) {
    expect([id, vendors.get(id)?.baseUrlOf(provider)]).toEqual([id, expect.any(String)])
  }
  expect(settings.providers["vertex"]).toMatchObject({ project: "mine", location: "europe-west4" })
  expect(settings.providers["bedrock"]).toMatchObject({ accessKeyId: "AKID", region: "us-east-1" })
})
