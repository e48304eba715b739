import { expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { errorWithoutKeys, withoutKeys } from "../../src/canon/key-shapes.ts"
import { newSecret } from "../../src/keys/secret.ts"

test("a key in a text is shortened to its prefix at every position", () => {
  const secret = newSecret()
  expect(withoutKeys(`The model \`good/${secret}\` does not exist.`)).toBe(
    "The model `good/sk-tg-…` does not exist.",
  )
  expect(withoutKeys(`${secret}${secret} '${secret}x'`)).toBe("sk-tg-… 'sk-tg-…'")
  expect(withoutKeys(`/v1/${secret}?key=${secret.slice(0, 30)}`)).toBe("/v1/sk-tg-…?key=sk-tg-…")
})

test.each([
  ["sk-proj-AbCd_ef-gh0123456789abcdefghij", "sk-proj-…"],
  ["sk-ant-api03-abcdefghijklmnopqrstuvwxyz", "sk-ant-…"],
  ["sk-0123456789abcdef0123456789abcdef", "sk-…"],
  ["gsk_0123456789abcdefghij", "gsk_…"],
  ["AIzaSyA0123456789abcdefghijklmnopqrstuv", "AIza…"],
])("a key of another service in a text is shortened: %s", (key, shown) => {
  expect(withoutKeys(key)).toBe(shown)
})

test.each([
  "task-force-of-many-people-who-work",
  "sk-tg-…",
  "openai/gpt-5.4",
  "risk-based-long-name-here",
])("a text without keys is not changed: %s", (text) => expect(withoutKeys(text)).toBe(text))

test("keys are removed from an error's message, parameter and vendor details", () => {
  const secret = newSecret()
  const upstream = { status: 400, type: secret, code: `code ${secret}` }
  const parameter = `metadata.${secret}`
  const fields = { details: [{ reason: secret }] }
  const details = { parameter, upstream, fields }
  const rejection = new GatewayError("rejected_by_upstream", `no ${secret}`, details)
  const error = errorWithoutKeys(rejection)
  expect(JSON.stringify([error.message, error.details])).not.toContain(secret)
  expect(error.details).toEqual({
    parameter: "metadata.sk-tg-…",
    upstream: { status: 400, type: "sk-tg-…", code: "code sk-tg-…" },
    fields: { details: [{ reason: "sk-tg-…" }] },
  })
})

test("an error without keys is not changed", () => {
  const error = new GatewayError("invalid_value", "no", { parameter: "model" })
  expect(errorWithoutKeys(error)).toBe(error)
})
