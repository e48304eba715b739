import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { planNewApi } from "../../../src/cli/import/new-api.ts"
import { planOpenRouter } from "../../../src/cli/import/openrouter.ts"
import { type ImportPlan, writableAccounts } from "../../../src/cli/import/plan.ts"
import { planPortkey } from "../../../src/cli/import/portkey.ts"
import { planLiteLlm } from "../../../src/cli/import/litellm.ts"

type Row = Readonly<Record<string, unknown>>
type Cell = string | number

const MODELS = `
model_list:
  - { model_name: a, litellm_params: { model: openai/gpt-4o, api_key: sk-written } }
  - { model_name: b, litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant-written } }
`
const TOKENS = "LiteLLM_VerificationToken"
const digestOf = (name: string) => new Bun.CryptoHasher("sha256").update(name).digest("hex")
const key = (name: string, more: Row = {}) => ({
  token: digestOf(name),
  key_alias: name,
  ...more,
})

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-import-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function planWith(config: string, tables?: unknown): Promise<ImportPlan> {
  return inFolder(async (folder) => {
    const [file, database] = [join(folder, "config.yaml"), join(folder, "tables.json")]
    writeFileSync(file, config)
    if (tables !== undefined) writeFileSync(database, JSON.stringify(tables))
    return planLiteLlm(file, folder, tables === undefined ? undefined : database)
  })
}

/** Returns the written accounts and keys by name, and the lines of the page. */
function written(plan: ImportPlan) {
  const accounts = writableAccounts(plan.accounts, plan.differences)
  const keys = accounts.flatMap((account) => account.keys)
  return {
    accounts: Object.fromEntries(
      accounts.map(({ name, limits, isPaused, credits }) => [name, { limits, isPaused, credits }]),
    ),
    keys: Object.fromEntries(
      keys.map(({ input: { name, ...limits }, isPaused }) => [name, { ...limits, isPaused }]),
    ),
    page: plan.differences.list.map(({ subject, words }) => `${subject}: ${words}`),
  }
}

test("LiteLLM import skips a key if one of its limits cannot be transferred", async () => {
  const tables = {
    LiteLLM_BudgetTable: [
      { budget_id: "shared", rpm_limit: 7, tpm_limit: "900", max_parallel_requests: 2 },
      { budget_id: "models", max_budget: 4, model_max_budget: { a: 1 } },
    ],
    [TOKENS]: [
      key("zero", { rpm_limit: 0 }),
      key("zero-text", { max_parallel_requests: "0" }),
      key("text", { rpm_limit: "100" }),
      key("fraction", { rpm_limit: 1.5 }),
      key("negative", { tpm_limit: -1 }),
      key("word", { max_parallel_requests: "many" }),
      key("shared", { budget_id: "shared", rpm_limit: 3 }),
      key("shared-models", { budget_id: "models" }),
      key("nobody", { budget_id: "gone" }),
      key("one-model", { models: "a" }),
      key("models", { models: { a: true } }),
      key("list", { models: ["a"] }),
      key("spent", { max_budget: 5, spend: "unknown" }),
      key("refunded", { max_budget: 7, spend: -5 }),
      key("object", { max_budget: {} }),
      key("array", { max_budget: [] }),
      key("blocked", { blocked: "true" }),
      key("aliases", { aliases: "a=b" }),
    ],
  }
  const { keys, page } = written(await planWith(MODELS, tables))
  expect(keys).toEqual({
    zero: { isPaused: true },
    "zero-text": { isPaused: true },
    text: { isPaused: false, requests_per_minute: 100 },
    shared: {
      isPaused: false,
      requests_per_minute: 3,
      tokens_per_minute: 900,
      concurrent_requests: 2,
    },
    "shared-models": { isPaused: false, budget: "4" },
    list: { isPaused: false, models: ["openai/gpt-4o"] },
    refunded: { isPaused: false, budget: "7" },
    blocked: { isPaused: true },
    aliases: { isPaused: false },
  })
  for (const line of [
    "key zero: paused, since 'rpm_limit' is 0 in LiteLLM",
    "key fraction: 'rpm_limit' is not a whole number",
    "key negative: 'tpm_limit' is not a whole number",
    "key word: 'max_parallel_requests' is not a whole number",
    "key shared-models: 'model_max_budget' of its budget",
    "key nobody: the budget of its 'budget_id' does not exist",
    "key one-model: 'models' is not a list",
    "key models: 'models' is not a list",
    "key spent: its budget is zero or used up",
    "key object: its budget is zero or used up",
    "key array: its budget is zero or used up",
    "key aliases: 'aliases'",
  ])
    expect(page).toContain(line)
})

test("LiteLLM import pauses a team whose limits cannot be read", async () => {
  const tables = {
    LiteLLM_TeamTable: [
      { team_id: "1", team_alias: "zero", tpm_limit: 0 },
      { team_id: "2", team_alias: "odd", rpm_limit: 2.5 },
      { team_id: "3", team_alias: "models", models: "a" },
      { team_id: "4", team_alias: "large", max_budget: 1e12 },
    ],
    [TOKENS]: [],
  }
  const { accounts, page } = written(await planWith(MODELS, tables))
  expect(accounts).toMatchObject({
    zero: { isPaused: true },
    odd: { isPaused: true, limits: {} },
    models: { isPaused: true, limits: {} },
    large: { credits: 0n },
  })
  expect(page).toContain(
    "account odd: paused: 'rpm_limit' is not a whole number. Set its limit by hand, then resume the account",
  )
  expect(page).toContain(
    "account large: its 1000000000000 credits exceed the maximum grant. Grant the credits by hand",
  )
})

test("LiteLLM import names unreadable rows and imports the others", async () => {
  const tables = {
    LiteLLM_TeamTable: [null, { team_id: "t", team_alias: "Search" }],
    LiteLLM_UserTable: ["ada", { user_email: "x@example.com" }],
    LiteLLM_BudgetTable: [[]],
    [TOKENS]: [null, 5, {}, key("one", { team_id: "t" }), key("two"), key("one")],
  }
  const { keys, page } = written(await planWith(MODELS, tables))
  expect(Object.keys(keys).toSorted()).toEqual(["one", "two"])
  for (const line of [
    "row 1 of LiteLLM_TeamTable: it has no 'team_id'",
    "row 1 of LiteLLM_UserTable: it has no 'user_id'",
    "row 2 of LiteLLM_UserTable: it has no 'user_id'",
    "row 1 of LiteLLM_BudgetTable: it has no 'budget_id'",
    "row 3 of LiteLLM_VerificationToken: it has no 'token'",
    "key one: the same key is listed before it",
  ])
    expect(page).toContain(line)
  for (const wrong of [{}, { [TOKENS]: {} }, { [TOKENS]: [], LiteLLM_UserTable: "ada" }])
    await expect(planWith(MODELS, wrong)).rejects.toMatchObject({ code: "usage" })
})

test.each([
  "router_settings: { fallbacks: { a: [b] } }",
  'router_settings: { fallbacks: [{ a: "b" }] }',
  `litellm_settings: { fallbacks: '[{"a": ["b"]}]' }`,
  `litellm_settings: { fallbacks: '{"a": "b"}' }`,
])("LiteLLM import reads fallbacks from %p", async (settings) => {
  const { page } = written(await planWith(`${MODELS}${settings}\n`))
  expect(page).toContain("model a: falls back to b")
})

test("LiteLLM import names settings that it cannot read", async () => {
  const cases: readonly [settings: string, line: string][] = [
    ["router_settings: { fallbacks: a }", "settings: 'router_settings.fallbacks', which is not"],
    [
      "litellm_settings: { fallbacks: [[a, b]] }",
      "settings: 'litellm_settings.fallbacks', which is not",
    ],
    [
      "router_settings: { fallbacks: [{ a: [5, { model: b }] }] }",
      "fallback of a: '5' is not the name",
    ],
    [
      "router_settings: { fallbacks: [{ a: [b] }] }\nlitellm_settings: { fallbacks: [{ b: [a] }] }",
      "settings: 'litellm_settings.fallbacks': 'router_settings.fallbacks' takes precedence",
    ],
    [
      "router_settings: { model_group_alias: [a] }",
      "settings: 'router_settings.model_group_alias'",
    ],
  ]
  for (const [settings, line] of cases) {
    const { page } = written(await planWith(`${MODELS}${settings}\n`))
    expect(page.filter((one) => one.startsWith(line))).toHaveLength(1)
  }
  const { page } = written(
    await planWith(`
model_list:
  - { model_name: a, litellm_params: { model: openai/gpt-4o, litellm_credential_name: ours } }
  - { model_name: __proto__, litellm_params: { model: openai/gpt-4o, api_key: sk-1, weight: "3", input_cost_per_token: cheap } }
`),
  )
  expect(page).toContain(
    "model a: not carried over, add the provider by hand: its credential 'ours' is not in 'credential_list'",
  )
  expect(page).toContain("model __proto__: 'litellm_params.weight', which is not a number")
  expect(page).toContain("model __proto__: 'input_cost_per_token', which is not a price")
  expect(page).toContain("model __proto__: callers have to name it openai/gpt-4o")
})

test("new-api import skips a token if one of its limits cannot be transferred", async () => {
  const { accounts, keys, page } = written(
    await inFolder(async (folder) => {
      const file = join(folder, "one-api.db")
      {
        using database = new Database(file)
        database.run(`CREATE TABLE channels (id, type, key, status, name, weight, models, priority, model_mapping);
          CREATE TABLE users (id, username, email, quota, status, "group");
          CREATE TABLE tokens (id, user_id, key, status, name, expired_time, remain_quota, unlimited_quota,
            model_limits_enabled, model_limits, allow_ips, "group");
          INSERT INTO channels VALUES (1, 1, 'sk-one', 1, 'main', 'heavy', 'gpt-4o', 'first', '{gpt');
          INSERT INTO users VALUES (1, 'anna', '', 500000, 1, ''), (2, 'anna ', '', 0, 1, '');`)
        const insert = database.prepare("INSERT INTO tokens VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
        const token = (
          name: string,
          { user = 1, secret = name, expires = -1 as Cell, quota = 500_000 as Cell } = {},
          [unlimited, limited, models, group]: readonly [Cell, Cell, string, string] = [
            0,
            0,
            "",
            "",
          ],
        ) => {
          const owned = [null, user, secret, 1, name, expires, quota] as const
          insert.run(...owned, unlimited, limited, models, "", group)
        }
        token("plain")
        token("limited", {}, [0, "1", "gpt-4o", "vip"])
        token("text-unlimited", { quota: 0 }, ["0", 0, "", ""])
        token("odd-quota", { quota: "much" })
        token("odd-time", { expires: "soon" })
        token("no-models", {}, [1, 1, " , ", ""])
        token("orphan", { user: 9 })
        token("twice", { secret: "plain" })
      }
      return planNewApi(file, folder)
    }),
  )
  expect(Object.keys(accounts)).toEqual(["anna", "anna (user 2)"])
  expect(keys).toEqual({
    plain: { isPaused: false, budget: "1" },
    limited: { isPaused: false, budget: "1", models: ["openai/gpt-4o"] },
  })
  for (const line of [
    "channel main: 'weight'",
    "channel main: 'priority'",
    "channel main: 'model_mapping', which is not JSON",
    "key limited: its group 'vip'",
    "key text-unlimited: it is used up or expired",
    "key odd-quota: it is used up or expired",
    "key odd-time: its expiry cannot be read",
    "key no-models: its list of models is empty, which allows no model in New API",
    "key orphan: its user does not exist",
    "key twice: the same key is listed before it",
  ])
    expect(page).toContain(line)
})

test("OpenRouter import skips a key if one of its limits cannot be transferred", async () => {
  const source = [
    { hash: "1", name: "text", limit: "10" },
    { hash: "2", name: "zero", limit: 0 },
    { hash: "3", name: "word", limit: "much" },
    { hash: "4", name: "object", limit: {} },
    { hash: "5", name: "time", limit: null, expires_at: 1_700_000_000 },
    { hash: "6", name: "off", limit: null, disabled: "true" },
    { hash: "7", name: "spent", limit: 3, limit_remaining: 0, limit_reset: null },
    { hash: "1", name: "twice", limit: 1 },
    null,
  ]
  const { keys, page } = written(
    await inFolder(async (folder) => {
      const file = join(folder, "keys.json")
      writeFileSync(file, JSON.stringify({ data: source }))
      return planOpenRouter(file, folder)
    }),
  )
  expect(keys).toEqual({
    text: { isPaused: false, budget: "10" },
    off: { isPaused: true },
    spent: { isPaused: true, budget: "3" },
  })
  for (const line of [
    "key zero: its limit is zero",
    "key word: its limit is not a number",
    "key object: its limit is not a number",
    "key time: its expiry cannot be read",
    "key twice: the same key is listed before it",
    "key 9: it is not an object",
  ])
    expect(page).toContain(line)
})

test("Portkey import names targets and weights that it cannot read", async () => {
  const target = { provider: "openai", api_key: "sk-1", override_params: { model: "gpt-4o" } }
  const config = {
    strategy: { mode: "loadbalance" },
    targets: [{ ...target, weight: "2" }, "claude", target],
  }
  const { page } = written(
    await inFolder(async (folder) => {
      const file = join(folder, "config.json")
      writeFileSync(file, JSON.stringify(config))
      return planPortkey(file, folder)
    }),
  )
  expect(page).toContain("config: 'targets' that are not objects")
  expect(page).toContain("target 1: 'weight', which is not a number")
})

test("LiteLLM import rejects a file that is nested too deeply", async () => {
  const deep = `${MODELS}x: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`
  await expect(planWith(deep)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("nested more than 100 levels deep"),
  })
})
