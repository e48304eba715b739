import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SQL } from "bun"
import OpenAI from "openai"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { variablesIn } from "./imports/written.ts"
import { PostgresServer } from "../support/postgres-server.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  startServing,
} from "../support/process.ts"

const SECRET = "sk-vendor-canary-0123456789"
const KEYS = { team: "sk-team-1234567890abcdef", loner: "sk-loner-1234567890abcdef" }
const digestOf = (key: string) => new Bun.CryptoHasher("sha256").update(key).digest("hex")

let simulator: Simulator
let server: PostgresServer

beforeAll(async () => {
  simulator = startSimulator()
  server = await PostgresServer.start()
})
afterAll(async () => {
  await simulator.stop()
  await server[Symbol.asyncDispose]()
})

/** Tables with the columns of LiteLLM's schema.prisma. */
const LITELLM_TABLES = `
  CREATE TABLE "LiteLLM_BudgetTable" (budget_id text PRIMARY KEY, max_budget float8, budget_duration text);
  CREATE TABLE "LiteLLM_TeamTable" (team_id text PRIMARY KEY, team_alias text, max_budget float8, spend float8 DEFAULT 0,
    models text[], max_parallel_requests int, tpm_limit bigint, rpm_limit bigint, budget_duration text, blocked boolean DEFAULT false);
  CREATE TABLE "LiteLLM_UserTable" (user_id text PRIMARY KEY, user_alias text, user_email text, user_role text,
    max_budget float8, spend float8 DEFAULT 0, models text[], budget_duration text);
  CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_name text, key_alias text, spend float8 DEFAULT 0,
    expires timestamp, models text[], aliases jsonb DEFAULT '{}', user_id text, team_id text, max_parallel_requests int,
    metadata jsonb DEFAULT '{}', blocked boolean, tpm_limit bigint, rpm_limit bigint, max_budget float8, budget_duration text,
    budget_id text);`

async function liteLlmDatabase(): Promise<string> {
  const url = server.url(await server.create())
  const sql = new SQL({ url, max: 1 })
  await sql.unsafe(LITELLM_TABLES)
  await sql`INSERT INTO "LiteLLM_BudgetTable" VALUES ('b', 0.5, '1d')`
  await sql`INSERT INTO "LiteLLM_TeamTable" (team_id, team_alias, max_budget, spend, models, rpm_limit)
    VALUES ('t1', 'Search', 10, 2.123456789123, '{gpt-small}', 600)`
  await sql`INSERT INTO "LiteLLM_UserTable" (user_id, user_email, user_role) VALUES ('u1', 'ada@example.com', 'internal_user')`
  const insert = (row: Record<string, unknown>) =>
    sql`INSERT INTO "LiteLLM_VerificationToken" ${sql(row)}`
  await insert({
    token: digestOf(KEYS.team),
    key_name: "sk-...cdef",
    key_alias: "prod",
    team_id: "t1",
    budget_id: "b",
  })
  await insert({
    token: digestOf(KEYS.loner),
    key_name: "sk-...cdef",
    key_alias: "alone",
    user_id: "u1",
    blocked: true,
  })
  await insert({ token: "not a hash", key_alias: "odd" })
  await sql.close()
  return url
}

const liteLlmConfig = () => `
model_list:
  - model_name: gpt-small
    litellm_params: { model: openai/echo, api_base: "${simulator.url}/v1", api_key: "${SECRET}", rpm: 5,
      input_cost_per_token: 0.00000015, output_cost_per_token: 6e-07 }
    model_info: { mode: chat, max_input_tokens: 100000, max_output_tokens: 1000 }
  - model_name: gpt-large
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: os.environ/ANTHROPIC_API_KEY }
  - model_name: strange
    litellm_params: { model: nobody/knows }
router_settings: { routing_strategy: simple-shuffle, fallbacks: [{ gpt-large: [gpt-small] }], model_group_alias: { small: gpt-small } }
litellm_settings: { cache: true }
general_settings: { master_key: sk-1234 }
`

function workplace(): Installation & { readonly out: string } {
  const installation = createInstallation("server: { port: 0 }\n")
  return { ...installation, out: join(installation.data, "imported.yaml") }
}

test("LiteLLM import prints and writes the settings, and the old keys work", async () => {
  using place = workplace()
  const config = join(place.data, "config.yaml")
  writeFileSync(config, liteLlmConfig())
  const database = await liteLlmDatabase()
  const words = ["import", "litellm", config, "--database", database, "--out", place.out]
  const dry = await runCommand(place, ...words)
  expect(dry.exitCode).toBe(0)
  for (const said of [
    "model gpt-large",
    "falls back to gpt-small",
    "'litellm_params.rpm'",
    "the vendor of 'nobody/knows' is unknown",
    "'litellm_settings.cache'",
    "set 'admin_token'",
    "account Search",
    "its hash is not a SHA-256 hash",
    "user ada@example.com",
    "2 accounts, 2 keys, 7.876543211 credits",
    "Nothing was written",
  ])
    expect(dry.stdout).toContain(said)
  expect(existsSync(place.out)).toBe(false)
  for (const out of ["", place.data, join(place.data, "missing", "out.yaml")]) {
    const rejected = await runCommand(place, ...words, "--apply", "--out", out)
    expect(rejected.exitCode).toBe(2)
    expect(rejected.stderr).toContain(`the settings cannot be written to '${out}'`)
  }
  const done = await runCommand(place, ...words, "--apply")
  expect(done.stderr).toBe("")
  expect(done.stdout).toContain("Created 2 accounts, 2 keys and 1 grant; 0 already existed.")
  for (const shown of [dry.stdout, done.stdout, readFileSync(place.out, "utf8")]) {
    for (const secret of [SECRET, KEYS.team, digestOf(KEYS.team)])
      expect(shown).not.toContain(secret)
  }
  expect(statSync(`${place.out}.env`).mode & 0o777).toBe(0o600)
  expect(readFileSync(`${place.out}.env`, "utf8")).toBe(
    `LITELLM_OPENAI_COMPATIBLE_API_KEY='${SECRET}'\n`,
  )
  const again = await runCommand(place, ...words, "--apply")
  expect(again.stdout).toContain("Created 0 accounts, 0 keys and 0 grants; 4 already existed.")
  const settings = readFileSync(place.out, "utf8")
  writeFileSync(place.out, `${settings}# edited\n`)
  const edited = await runCommand(place, ...words, "--apply")
  expect([edited.exitCode, edited.stderr]).toMatchObject([
    5,
    expect.stringContaining("already exists with different content"),
  ])
  const forced = await runCommand(place, ...words, "--apply", "--force")
  expect(forced.exitCode).toBe(0)
  expect(readFileSync(place.out, "utf8")).toBe(settings)

  writeFileSync(place.config, `server: { port: 0 }\n${settings}`)
  const environment = { ...variablesIn(place.out), ANTHROPIC_API_KEY: "not-called" }
  await using serving = await startServing(place, environment)
  const chat = (apiKey: string, model: string) =>
    new OpenAI({ apiKey, baseURL: `${serving.url}/v1`, maxRetries: 0 }).chat.completions.create({
      model,
      messages: [{ role: "user", content: "hello" }],
      max_tokens: 10,
    })
  for (const model of ["gpt-small", "small"])
    expect((await chat(KEYS.team, model)).choices).toHaveLength(1)
  const status = (key: string, model: string) =>
    chat(key, model).then(
      () => 200,
      (error: InstanceType<typeof OpenAI.APIError>) => error.status,
    )
  expect(await status(KEYS.team, "gpt-large")).toBe(403)
  expect(await status(KEYS.loner, "gpt-small")).toBe(403)
  expect(await status(digestOf(KEYS.team), "gpt-small")).toBe(401)
  const credits = await fetch(`${serving.url}/v1/credits`, {
    headers: { authorization: `Bearer ${KEYS.team}` },
  })
  expect(await credits.json()).toMatchObject({
    account: "Search",
    limits: { requests_per_minute: 600 },
    key: { name: "prod", daily_budget: "0.5" },
  })
})

test("new-api import transfers channels, balances and keys", async () => {
  using place = workplace()
  const file = join(place.data, "one-api.db")
  const key = "A1b2C3d4".repeat(6)
  {
    using database = new Database(file)
    // A table with the columns of new-api's models.
    database.run(`CREATE TABLE channels (id integer PRIMARY KEY, type integer, key text, status integer, name text, weight integer,
      base_url text, models text, "group" text, model_mapping text, priority integer, param_override text)`)
    database.run(
      `CREATE TABLE users (id integer PRIMARY KEY, username text, email text, quota integer, status integer, "group" text, deleted_at datetime)`,
    )
    database.run(`CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, key text, status integer, name text, expired_time integer,
      remain_quota integer, unlimited_quota numeric, model_limits_enabled numeric, model_limits text, allow_ips text, deleted_at datetime)`)
    const channel = database.prepare(
      "INSERT INTO channels (type, key, status, name, weight, base_url, models, model_mapping, priority, param_override) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    channel.run(1, SECRET, 1, "main", 3, simulator.url, "gpt-x,gpt-y", '{"gpt-x":"echo"}', 10, null)
    channel.run(
      1,
      `${SECRET}-2`,
      1,
      "spare",
      1,
      simulator.url,
      "gpt-x",
      '{"gpt-x":"echo"}',
      0,
      '{"a":1}',
    )
    channel.run(2, "mj", 1, "images", 1, "", "mj", "", 0, null)
    database.run(
      "INSERT INTO users VALUES (7, 'anna', 'anna@example.com', 1234567, 1, 'vip', NULL), (8, 'gone', '', 5, 1, '', '2026-01-01')",
    )
    database.run(
      "INSERT INTO tokens VALUES (1, 7, ?, 1, 'laptop', -1, 500000, 0, 1, 'gpt-x', '127.0.0.0/8', NULL)",
      [key],
    )
    database.run("INSERT INTO tokens VALUES (2, 7, 'used', 1, 'used', -1, 0, 0, 0, '', '', NULL)")
  }
  const words = ["import", "new-api", file, "--out", place.out]
  const dry = await runCommand(place, ...words)
  for (const said of [
    "its type 2 is unknown",
    "'param_override'",
    "its group 'vip'",
    "1 account, 1 key, 2.469134 credits",
    "it is used up or expired",
  ]) {
    expect(dry.stdout).toContain(said)
  }
  const done = await runCommand(place, ...words, "--apply")
  expect(done.stdout).toContain("Created 1 account, 1 key and 1 grant")
  for (const secret of [SECRET, key]) expect(dry.stdout + done.stdout).not.toContain(secret)
  const settings = readFileSync(place.out, "utf8")
  writeFileSync(
    place.config,
    `server: { port: 0 }\nunknown_models: { price: { input: 1, output: 2 } }\n${settings}`,
  )
  await using serving = await startServing(place, variablesIn(place.out))
  const client = new OpenAI({ apiKey: `sk-${key}`, baseURL: `${serving.url}/v1`, maxRetries: 0 })
  const rejected = await client.chat.completions
    .create({ model: "gpt-y", messages: [{ role: "user", content: "hello" }] })
    .catch((error: InstanceType<typeof OpenAI.APIError>) => error.status)
  expect(rejected).toBe(403)
  const credits = await fetch(`${serving.url}/v1/credits`, {
    headers: { authorization: `Bearer sk-${key}` },
  })
  expect(await credits.json()).toMatchObject({
    account: "anna",
    balance: "2.469134",
    key: { budget: "1" },
  })
})

test("Portkey import creates one model for each config", async () => {
  using place = workplace()
  const file = join(place.data, "config.json")
  writeFileSync(
    file,
    JSON.stringify({
      strategy: { mode: "fallback" },
      cache: { mode: "simple" },
      targets: [
        {
          provider: "openai",
          api_key: SECRET,
          override_params: { model: "gpt-5-mini", temperature: 0 },
        },
        {
          virtual_key: "anthropic-prod",
          provider: "anthropic",
          override_params: { model: "claude-sonnet-4-5" },
        },
        { provider: "openai" },
      ],
    }),
  )
  const done = await runCommand(place, "import", "portkey", file, "--out", place.out, "--apply")
  for (const said of [
    "'override_params.temperature'",
    "'cache'",
    "PORTKEY_ANTHROPIC_PROD_API_KEY",
    "'override_params.model' is missing",
  ]) {
    expect(done.stdout).toContain(said)
  }
  const settings = readFileSync(place.out, "utf8")
  expect(settings).toContain("weight: 0")
  expect(settings + done.stdout).not.toContain(SECRET)
})

test("OpenRouter import writes new secrets to a separate file", async () => {
  using place = workplace()
  const file = join(place.data, "keys.json")
  const key = {
    hash: "a".repeat(64),
    name: "prod",
    limit: 10,
    limit_remaining: 2.5,
    limit_reset: null,
    disabled: false,
    usage: 7.5,
    include_byok_in_limit: true,
  }
  writeFileSync(
    file,
    JSON.stringify({ data: [key, { ...key, hash: "b".repeat(64), limit_reset: "monthly" }] }),
  )
  const words = ["import", "openrouter-export", file, "--out", place.out, "--apply"]
  const done = await runCommand(place, ...words)
  expect(done.stdout).toContain("'include_byok_in_limit'")
  expect(done.stdout).toContain("Created 1 account, 2 keys and 0 grants")
  const secrets = readFileSync(`${place.out}.keys`, "utf8").trim().split("\n")
  expect(secrets).toHaveLength(2)
  for (const line of secrets) expect(done.stdout).not.toContain(line.split("  ")[0] ?? "")
})

test("import rejects files of the wrong format and names the expected format", async () => {
  using place = workplace()
  const file = join(place.data, "other.json")
  writeFileSync(file, '{"a": 1}')
  const wrong: readonly [string, string][] = [
    ["litellm", "has no 'model_list'"],
    ["new-api", "is not a database of new-api"],
    ["portkey", "has no known target"],
    ["openrouter-export", "it has no list 'data'"],
  ]
  for (const [source, said] of wrong) {
    const { exitCode, stderr } = await runCommand(
      place,
      "import",
      source,
      file,
      "--apply",
      "--out",
      place.out,
    )
    expect([exitCode, stderr]).toMatchObject([2, expect.stringContaining(said)])
  }
  const gone = await runCommand(place, "import", "litellm", join(place.data, "nowhere"))
  expect(gone.exitCode).toBe(4)
  const config = join(place.data, "config.yaml")
  writeFileSync(config, liteLlmConfig())
  const away = "postgres://someone:canary-password@127.0.0.1:1/nothing"
  const unreachable = await runCommand(place, "import", "litellm", config, "--database", away)
  expect(unreachable.exitCode).toBe(1)
  expect(unreachable.stdout + unreachable.stderr).not.toContain("canary-password")
})

test("LiteLLM import skips and names expired keys, keys without a budget, and session keys of its UI", async () => {
  using place = workplace()
  const config = join(place.data, "config.yaml")
  writeFileSync(config, liteLlmConfig())
  const tables = join(place.data, "tables.json")
  const key = (name: string, more: Record<string, unknown> = {}) => ({
    token: digestOf(name),
    key_alias: name,
    user_id: "default_user_id",
    ...more,
  })
  writeFileSync(
    tables,
    JSON.stringify({
      LiteLLM_TeamTable: [
        { team_id: "litellm-dashboard" },
        { team_id: "t1", team_alias: "Search" },
      ],
      LiteLLM_UserTable: [{ user_id: "default_user_id", user_role: "proxy_admin" }],
      LiteLLM_VerificationToken: [
        key("before", { team_id: "t1" }),
        key("expired", { team_id: "t1", expires: "2025-01-01T00:00:00" }),
        key("session", { team_id: "litellm-dashboard", expires: "2999-01-01T00:00:00" }),
        key("temporary", { team_id: "t1", expires: "2999-01-01T00:00:00" }),
        key("sometime", { team_id: "t1", expires: "soon" }),
        key("without-budget", { team_id: "t1", max_budget: 0 }),
      ],
    }),
  )
  const words = ["import", "litellm", config, "--database", tables, "--out", place.out, "--apply"]
  const { stdout, exitCode } = await runCommand(place, ...words)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/key expired +it expired at 2025-01-01T00:00:00.000Z/)
  expect(stdout).toMatch(/key sometime +its expiry cannot be read/)
  expect(stdout).toMatch(/key without-budget +its budget is zero or used up/)
  expect(stdout).toMatch(/key session +it is a session key of LiteLLM's UI/)
  expect(stdout).toContain("Created 1 account, 2 keys and 0 grants")
})

test("import writes nothing if the gateway would not start with the settings", async () => {
  using place = workplace()
  const config = join(place.data, "config.yaml")
  writeFileSync(
    config,
    `
model_list:
  - model_name: large
    litellm_params: { model: openai/gpt-4o, api_key: sk-written, weight: 9999999 }
`,
  )
  const words = ["import", "litellm", config, "--out", place.out]
  const dry = await runCommand(place, ...words)
  expect(dry.stdout).toContain("would not start: models.openai/gpt-4o.deployments[0].weight")
  const { exitCode, stderr } = await runCommand(place, ...words, "--apply")
  expect([exitCode, stderr]).toMatchObject([3, expect.stringContaining("nothing was written")])
  expect([place.out, `${place.out}.env`].filter((path) => existsSync(path))).toEqual([])
})
