import { expect, test } from "bun:test"
import { describeSettings } from "../../src/config/describe.ts"
import { load, problems } from "./harness.ts"

const SECRETS = { secret_key: "sk_test_1", webhook_secret: "whsec_1" }

function stripe(section: Record<string, string>): string {
  const lines = Object.entries(section).map(([name, value]) => `  ${name}: ${value}\n`)
  return `stripe:\n${lines.join("")}`
}

test("card payments are enabled if Stripe is configured, in dollars by default", () => {
  expect(load("").settings.stripe).toBeUndefined()
  expect(load(stripe(SECRETS)).settings.stripe).toEqual({
    secretKey: "sk_test_1",
    webhookSecret: "whsec_1",
    currency: "usd",
  })
  expect(load(stripe({ ...SECRETS, currency: "EUR" })).settings.stripe?.currency).toBe("eur")
})

test("descriptions of the settings show only whether Stripe's secrets are set", () => {
  const { stripe: told } = describeSettings(load(stripe(SECRETS)).settings)
  expect(told).toEqual({ secretKey: "set", webhookSecret: "set", currency: "usd" })
})

test.each([
  [{ secret_key: "sk_test_1" }, "webhook_secret"],
  [{ ...SECRETS, currency: "dollars" }, "currency"],
  [{ ...SECRETS, currency: "kwd" }, "currency"],
  [{ ...SECRETS, key: "x" }, "key"],
])(
  "invalid payment settings are rejected with the name of the field: case %#",
  (section, field) => {
    const found = problems(stripe(section))
    expect(found).toHaveLength(1)
    expect(JSON.stringify(found)).toContain(field)
  },
)
