import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { GatewayError } from "../../src/canon/errors.ts"
import { Redactor } from "../../src/canon/redactor.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { load } from "../config/harness.ts"

const secret = fc.stringMatching(/^[!-~]{16,80}$/)

/** Forms in which other programs may write a secret. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in a URL": (secret) => encodeURIComponent(secret),
  "in a form": (secret) => new URLSearchParams({ secret }).toString().slice("secret=".length),
  "in JSON": (secret) => JSON.stringify(secret).slice(1, -1),
  "in JSON with escaped slashes": (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  "as base64": (secret) => btoa(secret),
  "as base64url": (secret) => Buffer.from(secret).toString("base64url"),
  "as a user's password": (secret) => btoa(`user:${secret}`),
  "as base64 of a bearer token": (secret) => btoa(`Bearer ${secret}.`),
  "in hex": (secret) => Buffer.from(secret).toString("hex"),
  "in uppercase": (secret) => secret.toUpperCase(),
}

/** Asserts that no eight consecutive characters of the secret remain, in any of these forms. */
function expectGone(text: string, secret: string): void {
  for (const write of Object.values(FORMS)) expect(text).not.toContain(write(secret))
  expect(text).not.toContain(btoa(secret).slice(4, -4))
}

describe("redaction of vendors' messages", () => {
  for (const [form, write] of Object.entries(FORMS)) {
    test(`removes a secret written ${form}`, () => {
      fc.assert(
        fc.property(secret, fc.stringMatching(/^[ a-z.]{0,20}$/), (value, words) => {
          const redactor = new Redactor()
          redactor.addSecrets([value])
          const cleaned = redactor.clean(`${words} '${write(value)}' ${words}`)
          expectGone(cleaned, value)
          expect(cleaned).toContain("[redacted]")
        }),
      )
    })
  }

  test("removes a secret that is cut off at the end of a shortened message", () => {
    const redactor = new Redactor()
    redactor.addSecrets(["sk-live-0123456789abcdefghij"])
    expect(redactor.clean("your key sk-live-0123456789abcdefg")).toBe("your key [redacted]")
    expect(redactor.clean("your key sk-")).toBe("your key sk-")
  })

  test("removes a secret that is a short word only if it is a whole word of the message", () => {
    const redactor = new Redactor()
    redactor.addSecrets(["password", "1234"])
    expect(redactor.clean("password, passwords, 1234")).toBe("[redacted], passwords, 1234")
  })

  test("removes all current secrets after many reloads, however many there are", () => {
    const redactor = new Redactor()
    const secrets = Array.from({ length: 2_500 }, (_, index) => `sk-live-${10_000_000 + index}`)
    const [first = ""] = secrets
    for (let reload = 0; reload < 2_500; reload += 500) {
      redactor.addSecrets([first, ...secrets.slice(reload, reload + 500)])
    }
    expect(redactor.clean(`error: ${first} is wrong`)).toBe("error: [redacted] is wrong")
    redactor.addSecrets(secrets)
    for (const secret of [first, secrets.at(-1)]) {
      expect(redactor.clean(`error: ${secret} is wrong`)).toBe("error: [redacted] is wrong")
    }
  })

  test("removes secrets that become known at runtime", () => {
    expect(new Redactor().clean("got ya29.token-0123456789", ["ya29.token-0123456789"])).toBe(
      "got [redacted]",
    )
  })

  test("removes secrets from every member of an error, and does not change other errors", () => {
    const redactor = new Redactor()
    redactor.addSecrets(["sk-live-0123456789abcdefghij"])
    const clean = new GatewayError("upstream_error", "It failed.")
    expect(redactor.cleanError(clean)).toBe(clean)
    const words = "sk-live-0123456789abcdefghij"
    const dirty = new GatewayError("rejected_by_upstream", words, {
      parameter: words,
      upstream: { status: 422, type: words, code: words },
      fields: { details: [{ reason: words, [words]: 1 }] },
    })
    const { message, details, kind, status } = redactor.cleanError(dirty)
    expect({ message, details, kind, status }).toEqual({
      message: "[redacted]",
      details: {
        parameter: "[redacted]",
        upstream: { status: 422, type: "[redacted]", code: "[redacted]" },
        fields: { details: [{ reason: "[redacted]", "[redacted]": 1 }] },
      },
      kind: "rejected_by_upstream",
      status: 422,
    })
  })
})

test("all secrets in the settings are removed from messages", () => {
  const { settings } = load(`
admin_token: admin-token-0123456789
stripe: { secret_key: stripe-secret-0123, webhook_secret: stripe-webhook-0123 }
images:
  s3: { bucket: b, access_key_id: bucket-access-0123, secret_access_key: bucket-secret-0123 }
console:
  oidc: [{ id: x, issuer: "https://issuer.example", client_id: c, client_secret: oidc-secret-0123 }]
providers:
  a: { vendor: openai, api_key: provider-key-0123, headers: { x-team: "Token team-token-0123" } }
  b: { vendor: ollama, headers: { authorization: "Basic ${btoa("me:basic-password-0123")}" } }
  c:
    vendor: bedrock
    region: us-east-1
    access_key_id: aws-access-0123
    secret_access_key: aws-secret-0123
    session_token: aws-session-0123
`)
  expect(secretsOf(settings)).toEqual(
    expect.arrayContaining([
      "admin-token-0123456789",
      "stripe-secret-0123",
      "stripe-webhook-0123",
      "bucket-access-0123",
      "bucket-secret-0123",
      "oidc-secret-0123",
      "provider-key-0123",
      "team-token-0123",
      "basic-password-0123",
      "aws-access-0123",
      "aws-secret-0123",
      "aws-session-0123",
    ]),
  )
})
