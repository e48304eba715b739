import { expect, test } from "bun:test"
import { parse, stringify } from "yaml"
import { settingsChanges } from "../../src/config/changes.ts"
import { DECLARED_SETTINGS } from "../../src/config/declared-settings.ts"
import { describeSettings } from "../../src/config/describe.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { load } from "./harness.ts"

const BUCKET = "{ bucket: lines, access_key_id: shown-1, secret_access_key: hidden-1 }"

/** For each setting, a value that is not the default, in the form of the settings file. */
const EXAMPLES: Readonly<Record<string, string>> = {
  multiplier: "1.25",
  unpriced_features: "allow",
  vendor_state: "any",
  aliases: "{ fast: mine/talker }",
  unknown_models: "family",
  "defaults.image_model": "mine/painter",
  "defaults.translation_model": "mine/talker",
  "server.host": "0.0.0.0",
  "server.port": "9000",
  "server.workers": "2",
  "server.drain_delay": "5s",
  "server.drain": "1m",
  "server.watchdog": "20s",
  "server.public_url": "https://ai.example.com",
  "server.trusted_proxies": "[10.0.0.1]",
  data: "./elsewhere",
  admin_token: "hidden-token-0123456789",
  "cors.origins": '["*"]',
  "database.url": "postgres://me:hidden-2@localhost/other",
  "database.connections": "5",
  "database.allow_insecure": "true",
  "database.prepared_statements": "false",
  "database.secret": "hidden-0123456789abcdef0123456789abcdef",
  "database.settle": "journal",
  "database.settle_timeout": "3s",
  "database.lease_term": "20s",
  "console.oidc":
    "[{ id: one, issuer: 'https://id.example.com', client_id: c, client_secret: hidden-3 }]",
  "console.trusted_origins": "[https://console.example.com]",
  "console.show_costs_to": "operators",
  "timeouts.connect": "1s",
  "timeouts.first_byte": "2m",
  "timeouts.idle": "3m",
  "timeouts.total": "2h",
  "routing.strategy": "price",
  "routing.affinity": "false",
  "routing.retries": "2",
  "routing.hedge": "true",
  disconnect: "drain",
  disconnect_limit: "1m",
  "images.link_minutes": "90",
  "images.mask": "optional",
  "images.rules": "provider",
  "images.s3": BUCKET,
  "limits.body_mb": "8",
  "limits.response_mb": "16",
  "limits.memory_mb": "300",
  "limits.media_mb": "1.5",
  "limits.media_private": "true",
  "responses.keep": "90m",
  "responses.account_mb": "64",
  "responses.total_mb": "1024",
  "idempotency.response_mb": "1",
  "idempotency.account_mb": "2",
  "idempotency.total_mb": "3",
  "retention.contents": "7d",
  "retention.receipts": "400d",
  "backup.every": "6h",
  "notices.smtp": "smtps://me:hidden-4@mail.example.com",
  "notices.from": "other@example.com",
  "notices.private": "true",
  "log.requests": "true",
  "log.queue_mb": "2",
  "log.file": "{ path: lines.jsonl }",
  "log.http": "{ url: 'https://logs.example.com/?key=hidden-5', headers: { x-key: hidden-6 } }",
  "log.s3": BUCKET,
  "metrics.port": "9090",
  "metrics.host": "0.0.0.0",
  "metrics.token": "hidden-7",
  "telemetry.endpoint": "http://other:4318",
  "telemetry.headers": "{ authorization: Bearer hidden-8 }",
  "telemetry.protocol": "http/json",
  "telemetry.sample": "0.5",
  "telemetry.service_name": "other",
  "telemetry.propagate": "true",
  "telemetry.callers": "false",
  "telemetry.metrics": "30s",
  "prices.refresh": "https://prices.example.com/list.json",
  "prices.apply": "all",
  "prices.keys": '["1qeCJ6VQsc3i6eGleOY/PxnMIK5P1iJbLN2M8efZ0zA="]',
  account_templates: "{ trial: { credits: 1 } }",
  "stripe.secret_key": "hidden-9",
  "stripe.webhook_secret": "hidden-10",
  "stripe.currency": "eur",
  "stripe.base_url": "https://stripe.example.com",
}

/** Settings that are required for other settings of their section to have an effect. */
const BASE = {
  database: { url: "postgres://localhost/tollgate" },
  metrics: { token: "before" },
  telemetry: { endpoint: "http://collector:4318" },
  notices: { smtp: "smtps://mail.example.com", from: "tollgate@example.com" },
  console: {},
  stripe: { secret_key: "before", webhook_secret: "before" },
}

/** Returns the base settings with one additional setting. */
function withSetting(name: string, value: string): string {
  const [section = "", member] = name.split(".")
  const parsed: unknown = parse(value)
  if (member === undefined) return stringify({ ...BASE, [section]: parsed })
  const base: object = BASE[section as keyof typeof BASE] ?? {}
  return stringify({ ...BASE, [section]: { ...base, [member]: parsed } })
}

test("every setting has an example", () => {
  const names = DECLARED_SETTINGS.map(({ name }) => name)
  expect(names.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted())
})

test.each([...DECLARED_SETTINGS])(
  "the report of a changed $name states whether a restart is required",
  ({ name, needsRestart }) => {
    const before = load(stringify(BASE)).settings
    const after = load(withSetting(name, EXAMPLES[name] ?? "")).settings
    const names = name === "database.settle" ? [name, "database.lease_term"] : [name]
    expect(settingsChanges(before, before, after)).toEqual({
      changed: names,
      restartNeeded: needsRestart ? names : [],
    })
    expect(settingsChanges(after, after, after)).toEqual({ changed: [], restartNeeded: [] })
  },
)

test.each(DECLARED_SETTINGS.filter(({ name }) => EXAMPLES[name]?.includes("hidden")))(
  "secrets in $name are hidden in descriptions and in the log",
  ({ name }) => {
    const { settings } = load(withSetting(name, EXAMPLES[name] ?? ""))
    expect(JSON.stringify(describeSettings(settings))).not.toContain("hidden")
    const secrets = secretsOf(settings)
    const hidden = EXAMPLES[name]?.match(/hidden[\w-]*/g) ?? []
    expect(hidden.filter((secret) => !secrets.some((one) => one.includes(secret)))).toEqual([])
  },
)

test("every setting with a secret value declares its secrets", () => {
  const holding = DECLARED_SETTINGS.filter(({ reader }) =>
    JSON.stringify(reader.form()).includes('"writeOnly":true'),
  )
  expect(holding.length).toBeGreaterThan(10)
  expect(holding.filter(({ secret }) => secret === undefined)).toEqual([])
})

test("every environment variable is read as its setting", () => {
  for (const { name, environment } of DECLARED_SETTINGS) {
    if (environment === undefined) continue
    const value: unknown = parse(EXAMPLES[name] ?? "")
    const base = stringify(BASE)
    const before = load(base).settings
    const { settings, warnings } = load(base, { [environment]: String(value) })
    expect(settingsChanges(before, before, settings).changed).toContain(name)
    expect(warnings).toEqual([])
  }
})
