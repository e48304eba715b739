import { expect, test } from "bun:test"
import { load, problems } from "./harness.ts"

test("account templates can contain the same credits and limits as the API", () => {
  const text = `account_templates:
  trial: { credits: 0.5, models: [openai/*], requests_per_minute: 60, max_keys: 2, daily_budget: "2.50" }
  team: { monthly_budget: 600, max_hourly_spend_ratio: 5 }`
  expect(load(text).settings.accountTemplates).toEqual({
    trial: {
      credits: "0.5",
      models: ["openai/*"],
      requests_per_minute: 60,
      max_keys: 2,
      daily_budget: "2.50",
    },
    team: { monthly_budget: "600", max_hourly_spend_ratio: 5 },
  })
  expect(load("").settings.accountTemplates).toBeUndefined()
})

test.each([
  ["account_templates: { 'a b': {} }", "must be a name"],
  ["account_templates: { a: { max_keys: 1.5 } }", "account_templates.a.max_keys"],
  ["account_templates: { a: { credits: -1 } }", "account_templates.a.credits"],
  ["account_templates: { a: { rpm: 5 } }", "rpm"],
])("invalid account templates are rejected: %s", (text, words) => {
  expect(problems(text).join("\n")).toContain(words)
})
