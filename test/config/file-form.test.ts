import { expect, test } from "bun:test"
import { settingsInFileForm } from "../../src/config/file-form.ts"
import { loadSettings } from "../../src/config/load.ts"
import { VENDORS } from "./harness.ts"

const TEXT = `multiplier: 1.25
server: { port: 9000, public_url: "https://models.example.com", drain_delay: 5s }
admin_token: a-long-admin-token-that-is-secret
timeouts: { connect: 7s, first_byte: 1500ms }
limits: { body_mb: 1.5 }
images: { link_minutes: 30 }
responses: { keep: off }
retention: { receipts: 400d }
backup: { every: 1d }

`

function load(text: string) {
  return loadSettings({ text, file: "/tollgate.yaml", environment: {}, vendors: VENDORS }).settings
}

test("active settings are shown with the names and units of the settings file, without secrets", () => {
  const form = settingsInFileForm(load(TEXT))
  expect(form).toMatchObject({
    multiplier: "1.25",
    server: { port: 9000, public_url: "https://models.example.com", drain_delay: "5s" },
    admin_token: "set",
    timeouts: { connect: "7s", first_byte: "1500ms", total: "30m" },
    limits: { body_mb: 1.5, response_mb: 128 },
    images: { link_minutes: 30 },
    retention: { receipts: "9600h" },
  })
  expect(JSON.stringify(form)).not.toContain("secret")
})

test("active settings can be copied into a settings file", () => {
  const settings = load(TEXT)
  const { admin_token: _, data: _data, ...form } = settingsInFileForm(settings)
  const { adminToken: _token, ...others } = settings
  // JSON is YAML.
  expect(load(JSON.stringify(form))).toEqual({ ...others } as never)
})

test("provider and model entries are shown with the field names of the settings file", () => {
  const text = `providers: { ollama: { vendor: ollama, base_url: "http://127.0.0.1:1/v1" } }
models: { ollama/m: { price: { input: 1, output: 2 }, max_output: 9 } }
`
  expect(settingsInFileForm(load(text))).toMatchObject({
    providers: { ollama: { base_url: "http://127.0.0.1:1/v1" } },
    models: { "ollama/m": { max_output: 9 } },
  })
})

test("active issuers are shown with the field names of the settings file", () => {
  const issuer =
    "{ id: one, issuer: 'https://id.example.com', client_id: c, client_secret: hidden }"
  const { console: form } = settingsInFileForm(load(`console: { oidc: [${issuer}] }`))
  expect(form).toMatchObject({
    oidc: [{ id: "one", client_id: "c", client_secret: "set", link_users: "confirmed" }],
  })
})
