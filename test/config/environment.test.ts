import { describe, expect, test } from "bun:test"
import { load, problems } from "./harness.ts"

const FILE = "server: { host: 127.0.0.1, port: 1, workers: 1 }\nadmin_token: from-the-file-0123"

test("an environment variable takes precedence over the file", () => {
  const { settings, warnings } = load(FILE, {
    TOLLGATE_HOST: "0.0.0.0",
    TOLLGATE_PORT: "9000",
    TOLLGATE_WORKERS: "2",
    TOLLGATE_DRAIN_DELAY: "5s",
    TOLLGATE_DRAIN: "90s",
    TOLLGATE_WATCHDOG: "off",
    TOLLGATE_MEMORY_MB: "640",
    TOLLGATE_TRUSTED_PROXIES: "10.0.0.7, 10.1.0.0/16\tfd00::/8,",
    TOLLGATE_DATA: "/var/lib/tollgate",
    TOLLGATE_ADMIN_TOKEN: "from-the-environment\n",
  })
  expect(settings.server).toMatchObject({
    host: "0.0.0.0",
    port: 9000,
    workers: 2,
    drainDelay: 5_000,
    drain: 90_000,
    watchdog: 0,
    trustedProxies: ["10.0.0.7", "10.1.0.0/16", "fd00::/8"],
  })
  expect(settings.limits.memoryBytes).toBe(640 * 1024 * 1024)
  expect(settings.data).toBe("/var/lib/tollgate")
  expect(settings.adminToken).toBe("from-the-environment")
  expect(warnings).toEqual([])
})

test("an empty environment variable is ignored", () => {
  const { settings } = load(FILE, { TOLLGATE_PORT: "", OPENAI_API_KEY: "" })
  expect(settings.server.port).toBe(1)
  expect(Object.keys(settings.providers)).toEqual([])
})

test("an environment variable can set port 0", () => {
  expect(load("", { TOLLGATE_PORT: "0" }).settings.server.port).toBe(0)
})

describe("the check of environment variables", () => {
  const cases: [string, string, string][] = [
    ["TOLLGATE_PORT", "http", "must be a whole number from 0 to 65535"],
    ["TOLLGATE_PORT", "tcp://10.0.0.1:8787", "enableServiceLinks: false"],
    ["TOLLGATE_HOST", "http://here", "must be a host name"],
    ["TOLLGATE_WORKERS", "many", "must be a whole number from 1 to 256"],
    [
      "TOLLGATE_DRAIN",
      "soon",
      "must be a length of time such as 500ms, 10s, 5m or 1h, at most 24h, or off",
    ],
    ["TOLLGATE_MEMORY_MB", "much", "must be a number from 64 to 1048576"],
    ["TOLLGATE_WATCHDOG", "-1s", "must be a length of time"],
    ["TOLLGATE_TRUSTED_PROXIES", "10.0.0.1,proxy", "such as 10.0.0.0/8, and is not proxy"],
    ["TOLLGATE_LOG", "loud", "is not a known log level"],
    ["TOLLGATE_ADMIN_TOKEN", "two words", "must be printable characters without spaces"],
    [
      "TOLLGATE_DATABASE_URL",
      "postgres://u:p@h/d",
      "connects to h over a network without verifying the server",
    ],
    ["TOLLGATE_DATABASE_URL", "mysql://h/d", "must be an address such as postgres://"],
    ["TOLLGATE_SECRET", "short", "must have at least 32 characters"],
    ["OPENAI_API_KEY", "sk two words", "must be printable characters without spaces"],
  ]
  for (const [name, value, expected] of cases) {
    test(`rejects ${name}=${value} and names the variable`, () => {
      const found = problems("", { [name]: value })
      expect(found).toHaveLength(1)
      expect(found[0]).toStartWith(`-:- ${name}: `)
      expect(found[0]).toContain(expected)
    })
  }
})

test("the client variable TOLLGATE_KEY causes no warning", () => {
  expect(load("", { TOLLGATE_KEY: "sk-tg-x" }).warnings).toEqual([])
})

test("an unknown TOLLGATE_ variable causes a warning with the nearest name", () => {
  const { warnings } = load("", {
    TOLLGATE_PROT: "1",
    TOLLGATE_XYZZY: "1",
    TOLLGATE_DEBUG: "1",
    TOLLGATE_WORKER_ID: "1",
    TOLLGATE_SANDBOX_PORT: "1",
    OTHER: "1",
  })
  expect(warnings).toEqual([
    "TOLLGATE_PROT: unknown variable, ignored. Did you mean 'TOLLGATE_PORT'?",
    "TOLLGATE_XYZZY: unknown variable, ignored.",
  ])
})

function geminiKey(environment: Record<string, string>): string | undefined {
  return load("", environment).settings.providers.gemini?.apiKey
}

describe("a vendor's API key in the environment", () => {
  test("adds a provider of the vendor", () => {
    const { settings } = load("", { OPENAI_API_KEY: " sk-1\n" })
    expect(settings.providers).toEqual({
      openai: {
        vendor: "openai",
        apiKey: "sk-1",
        headers: {},
        knownModels: true,
        origin: "environment",
      },
    })
  })

  test("can be in an alternative variable, but the main variable takes precedence", () => {
    expect(geminiKey({ GOOGLE_API_KEY: "second" })).toBe("second")
    expect(geminiKey({ GOOGLE_API_KEY: "second", GEMINI_API_KEY: "first" })).toBe("first")
    expect(geminiKey({ GOOGLE_API_KEY: "second", GEMINI_API_KEY: " " })).toBe("second")
  })

  test("has no effect, with a warning, if the file configures the vendor", () => {
    const { settings, warnings } = load("providers: { openai: { vendor: openai } }", {
      OPENAI_API_KEY: "sk-1",
    })
    expect(settings.providers.openai).not.toHaveProperty("apiKey")
    expect(settings.providers.openai?.origin).toBe("file")
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('write api_key: "${OPENAI_API_KEY}"')
  })

  test("does not add a provider if the vendor has no default URL", () => {
    const { settings, warnings } = load("", { VLLM_API_KEY: "k" })
    expect(Object.keys(settings.providers)).toEqual([])
    expect(warnings[0]).toStartWith("VLLM_API_KEY: not used, since vLLM has no address of its own.")
    const file =
      'providers: { mine: { vendor: vllm, base_url: "http://h", api_key: "${VLLM_API_KEY}" } }'
    expect(load(file, { VLLM_API_KEY: "k" }).warnings).toEqual([])
  })

  test("adds a provider that deployments can use", () => {
    const text = "models: { my/best: { deployments: [{ provider: openai, model: gpt }] } }"
    expect(load(text, { OPENAI_API_KEY: "k" }).settings.models["my/best"]?.deployments).toEqual([
      { provider: "openai", model: "gpt", weight: 1 },
    ])
    expect(problems(text, { GEMINI_API_KEY: "k" })[0]).toContain("is not a configured provider.")
  })
})

test("deployments can use the sandbox if no provider is configured", () => {
  const text = "models: { my/best: { deployments: [{ provider: sandbox, model: echo }] } }"
  expect(load(text).settings.models["my/best"]?.deployments).toHaveLength(1)
  expect(problems(text, { OPENAI_API_KEY: "k" })).toHaveLength(1)
})

test("settings that are probably mistakes cause a warning", () => {
  const { warnings } = load("admin_token: short\n")
  expect(warnings).toEqual(["admin_token: is shorter than 16 characters. Use a longer one."])
  expect(load("multiplier: 0.0").warnings).toEqual([
    "multiplier: is 0, so callers pay nothing. Write 1 to charge the prices.",
  ])
  expect(load("multiplier: 0.5").warnings).toEqual([])
  const key = "providers: { a: { vendor: openai, api_key: os.environ/A_KEY } }"
  expect(load(key).warnings.join()).toContain('write api_key: "${A_KEY}"')
})

test("an issuer with an unencrypted URL causes a warning", () => {
  const oidcOf = (issuer: string) =>
    load(`console: { oidc: [{ id: a, issuer: "${issuer}", client_id: b }] }`).warnings
  expect(oidcOf("http://login.example.com").join()).toContain("the issuer 'a' starts with http")
  expect(oidcOf("https://login.example.com")).toEqual([])
  expect(oidcOf("http://127.0.0.1:9000")).toEqual([])
})

function filledIn(reference: string, environment: Record<string, string>): string | undefined {
  const text = `providers: { a: { vendor: openai, api_key: "${reference}" } }`
  return load(text, environment).settings.providers.a?.apiKey
}

describe("variable references in the file", () => {
  test("have the value of the variable", () => {
    expect(filledIn("${KEY}", { KEY: "k" })).toBe("k")
    expect(filledIn("a-${KEY}-${OTHER:-z}", { KEY: "k" })).toBe("a-k-z")
    expect(filledIn("${KEY:-none}", { KEY: "" })).toBe("none")
    expect(filledIn("$${KEY}", { KEY: "k" })).toBe("${KEY}")
    expect(filledIn("$KEY", { KEY: "k" })).toBe("$KEY")
  })

  test("resolve to values that are not parsed as YAML or as another reference", () => {
    expect(filledIn("${KEY}", { KEY: "${OTHER}", OTHER: "x" })).toBe("${OTHER}")
    const { settings } = load('providers: { a: { vendor: ollama, headers: { x: "${KEY}" } } }', {
      KEY: '"}, evil: {vendor: openai, api_key: "k',
    })
    expect(Object.keys(settings.providers)).toEqual(["a"])
    expect(settings.providers.a?.headers).toEqual({ x: '"}, evil: {vendor: openai, api_key: "k' })
  })

  test("can resolve to numbers and booleans", () => {
    const { settings } = load(
      "server:\n  port: ${PORT}\nmultiplier: ${FACTOR}\nproviders:\n  a: { vendor: ollama, known_models: '${KNOWN}' }",
      { PORT: "9", FACTOR: "1.10", KNOWN: "false" },
    )
    expect(settings.server.port).toBe(9)
    expect(settings.multiplier).toBe("1.10")
    expect(settings.providers.a?.knownModels).toBe(false)
  })
})
