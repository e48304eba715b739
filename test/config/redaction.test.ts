import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { stringify } from "yaml"
import { ConfigError } from "../../src/config/config-error.ts"
import { describeSettings } from "../../src/config/describe.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { KEY_FILE, load } from "./harness.ts"

/** Number of secrets to test at each place. */
const RUNS = IS_EXHAUSTIVE ? 16 : 4

/**
 * A secret that is too long to occur in the gateway's own messages, with characters that have a meaning in YAML,
 * headers and terminals.
 */
const secret = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9]{12}$/), fc.string({ unit: "grapheme", maxLength: 8 }))
  .chain(([core, odd]) => fc.constantFrom(core, core + odd, odd + core))
  .filter((text) => text.length >= 12)

const BEDROCK = {
  vendor: "bedrock",
  region: "us-east-1",
  access_key_id: "AKID",
  secret_access_key: "open",
}

/** Returns a key file in which every value is the secret. */
function keyWith(secret: string): string {
  const members = Object.keys(KEY_FILE).map((name) => [name, secret])
  const key = { ...Object.fromEntries(members), type: "service_account" }
  return JSON.stringify({ ...key, private_key: `${KEY_FILE.private_key}${secret}` })
}

/** Places in the settings where a secret can be, correctly or by mistake. */
const places: ((secret: string) => string)[] = [
  (secret) => stringify({ admin_token: secret }),
  (secret) => stringify({ providers: { a: { vendor: "openai", api_key: secret } } }),
  (secret) => stringify({ providers: { a: { vendor: "openai", api_keys: [secret, "other"] } } }),
  (secret) => stringify({ providers: { a: { vendor: "openai", api_keys: [secret, secret] } } }),
  (secret) => stringify({ providers: { a: { vendor: "openai", api_keys: { main: secret } } } }),
  (secret) => stringify({ providers: { a: { vendor: "openai", api_keys: secret } } }),
  (secret) =>
    stringify({
      providers: { a: { vendor: "openai", api_keys: [{ name: "b", api_key: secret }] } },
    }),
  (secret) =>
    stringify({
      providers: {
        a: { ...BEDROCK, api_keys: [{ name: secret, weight: secret, api_key: secret }] },
      },
    }),
  (secret) => stringify({ providers: { a: { vendor: "ollama", headers: { x: secret } } } }),
  (secret) => stringify({ providers: { a: { vendor: secret, api_key: secret } } }),
  (secret) => stringify({ providers: { a: { vendor: "ollama", base_url: `http://${secret}@h` } } }),
  (secret) => stringify({ providers: { a: { vendor: "ollama", base_url: secret } } }),
  (secret) => stringify({ server: { port: secret }, timeouts: { total: secret } }),
  (secret) => stringify({ models: { "a/b": { kind: secret, price: { input: secret } } } }),
  (secret) => stringify({ models: { "a/b": { deployments: [{ provider: secret }] } } }),
  (secret) => stringify({ providers: { a: { ...BEDROCK, access_key_id: secret } } }),
  (secret) => stringify({ providers: { a: { ...BEDROCK, secret_access_key: secret } } }),
  (secret) => stringify({ providers: { a: { ...BEDROCK, session_token: secret } } }),
  (secret) => stringify({ providers: { a: { vendor: "bedrock", region: secret } } }),
  (secret) => stringify({ providers: { a: { vendor: "vertex", credentials: secret } } }),
  (secret) => stringify({ providers: { a: { vendor: "vertex", credentials: keyWith(secret) } } }),
  (secret) => stringify({ providers: { a: { vendor: "vertex", credentials: `{"${secret}` } } }),
  (secret) => stringify({ providers: { a: { vendor: "openai", dialects: [secret] } } }),
  (secret) => stringify({ models: { "a/b": { dialects: [secret] } } }),
  (secret) => `admin_token: ${secret}`,
  (secret) => `admin_token: "${secret}`,
  (secret) => `providers:\n  a:\n    vendor: openai\n    api_key:${secret}\n`,
  (secret) => `providers:\n  a:\n    api_key:${secret}\n    vendor: openai\n`,
  (secret) => `providers: { a: { vendor: openai, api_key:${secret} } }`,
  (secret) => `providers: { a: { vendor: openai, ${secret} } }`,
  (secret) => `providers: { api_key:${secret} }`,
  (secret) => `providers: { a: { vendor: openai, api_key: \${${secret} } }`,
  (secret) => `providers: { a: { vendor: openai, api_key: *${secret} } }`,
  (secret) => `providers: { a: { vendor: openai, api_key: !${secret} } }`,
  (secret) => stringify({ stripe: { secret_key: secret, webhook_secret: secret } }),
  (secret) => stringify({ stripe: { secret_key: [secret], currency: secret } }),
]

/** The same places with a reference to a variable instead of the secret. */
const variables = places.slice(0, 18).map((place) => () => place("${SECRET}"))

function shown(text: string, environment: Record<string, string>): string {
  try {
    const { settings, warnings } = load(text, environment)
    const { models: _models, ...rest } = describeSettings(settings)
    return JSON.stringify([rest, warnings])
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return JSON.stringify([error.message, error.problems, String(error.stack), error])
  }
}

function expectHidden(output: string, secret: string): void {
  for (const form of [secret, secret.trim(), JSON.stringify(secret).slice(1, -1)]) {
    expect(output).not.toContain(form)
  }
}

test("a secret in the settings file is never shown, at any position", () => {
  for (const place of places) {
    const hidden = fc.property(secret, (secret) => expectHidden(shown(place(secret), {}), secret))
    fc.assert(hidden, { numRuns: RUNS })
  }
})

test("the value of a referenced variable is never shown, at any position", () => {
  for (const place of variables) {
    const hidden = fc.property(secret, (SECRET) => expectHidden(shown(place(), { SECRET }), SECRET))
    fc.assert(hidden, { numRuns: RUNS })
  }
})

test.each(["abcdefghijkl/", "abcdefghijkl/a", "a/abcdefghijkl", "abcdefghijkl//"])(
  "a password %s without percent-encoding stays hidden, and is not read as a host",
  (password) => {
    for (const prefix of ["", "user:"]) {
      const text = stringify({
        providers: { a: { vendor: "ollama", base_url: `http://${prefix}${password}@h` } },
      })
      expect(shown(text, {})).not.toContain("abcdefghijkl")
    }
  },
)

test("the path of a URL can contain a segment that starts with @", () => {
  const address = "http://h/ai/run/@cf/model"
  const text = stringify({ providers: { a: { vendor: "ollama", base_url: address } } })
  expect(load(text).settings.providers["a"]?.baseUrl).toBe(address)
})

test("the value of a TOLLGATE_ variable is never shown", () => {
  const names = ["ADMIN_TOKEN", "PORT", "HOST", "WORKERS", "DATABASE_URL", "ADMIN_TOKN"]
  const name = fc.constantFrom(...names.map((name) => `TOLLGATE_${name}`), "OPENAI_API_KEY")
  fc.assert(
    fc.property(secret, name, (secret, name) => {
      // A text that looks like a host name is read as a host name, and host names may be shown.
      fc.pre(name !== "TOLLGATE_HOST" || /[^\w.-]/.test(secret.trim()))
      expectHidden(shown("", { [name]: secret }), secret)
    }),
    { numRuns: 12 * RUNS },
  )
})

test("the description of the settings shows which secrets are configured, without their values", () => {
  const { settings } = load(
    `admin_token: hidden-0123456789
providers:
  a: { vendor: openai, api_key: hidden, headers: { x-secret: hidden } }
  b: { vendor: ollama }
  c:
    vendor: bedrock
    region: us-east-1
    access_key_id: hidden
    secret_access_key: hidden
    session_token: hidden
  d: { vendor: vertex, credentials: '${JSON.stringify({ ...KEY_FILE, client_email: "hidden" })}' }`,
  )
  const description = describeSettings(settings)
  expect(JSON.stringify(description)).not.toContain("hidden")
  expect(description.adminToken).toBe("set")
  expect(description.providers).toEqual({
    a: {
      vendor: "openai",
      apiKey: "set",
      headers: { "x-secret": "set" },
      knownModels: true,
      origin: "file",
    },
    b: { vendor: "ollama", apiKey: "not set", headers: {}, knownModels: true, origin: "file" },
    c: {
      vendor: "bedrock",
      apiKey: "not set",
      region: "us-east-1",
      accessKeyId: "set",
      secretAccessKey: "set",
      sessionToken: "set",
      headers: {},
      knownModels: true,
      origin: "file",
    },
    d: {
      vendor: "vertex",
      apiKey: "not set",
      credentials: "set",
      headers: {},
      knownModels: true,
      origin: "file",
    },
  })
  expect(describeSettings(load("").settings).adminToken).toBe("not set")
})
