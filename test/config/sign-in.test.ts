import { expect, test } from "bun:test"
import { describeSettings } from "../../src/config/describe.ts"
import { hidesCostsIn } from "../../src/config/sections/sign-in.ts"
import { load, problems } from "./harness.ts"

function problemsOf(text: string): string {
  return problems(text).join("\n")
}

const EXAMPLE = `
console:
  oidc:
    - id: company
      name: Our company
      issuer: https://login.example.com/
      client_id: tollgate
      client_secret: a-secret
    - { id: lab, issuer: "http://127.0.0.1:9000/realm", client_id: tollgate, scopes: [openid, email], second_factor: issuer, link_users: verified_email }
  trusted_origins: ["https://console.example.com/"]
`

test("costs are hidden by default if credits are sold by card", () => {
  const hides = (text: string) => hidesCostsIn(load(text).settings)
  const stripe = "stripe: { secret_key: sk_test_1, webhook_secret: whsec_1 }\n"
  expect(hides("")).toBe(false)
  expect(hides(stripe)).toBe(true)
  expect(hides(`${stripe}console: { trusted_origins: ["https://a.example.com"] }\n`)).toBe(true)
  expect(hides(`${stripe}console: { show_costs_to: everyone }\n`)).toBe(false)
  expect(hides("console: { show_costs_to: operators }\n")).toBe(true)
  expect(problemsOf("console: { show_costs_to: nobody }\n")).toContain("show_costs_to")
})

test("sign-in issuers and trusted origins are read from the settings", () => {
  expect(load(EXAMPLE).settings.console).toEqual({
    oidc: [
      {
        id: "company",
        name: "Our company",
        issuer: "https://login.example.com",
        clientId: "tollgate",
        clientSecret: "a-secret",
        scopes: ["openid", "email", "profile"],
        secondFactor: "required",
        linkUsers: "confirmed",
      },
      {
        id: "lab",
        name: "lab",
        issuer: "http://127.0.0.1:9000/realm",
        clientId: "tollgate",
        scopes: ["openid", "email"],
        secondFactor: "issuer",
        linkUsers: "verified_email",
      },
    ],
    trustedOrigins: ["https://console.example.com"],
  })
})

test("an issuer's client secret is never shown", () => {
  const description = JSON.stringify(describeSettings(load(EXAMPLE).settings))
  expect(description).toContain("company")
  expect(description).not.toContain("a-secret")
})

test("invalid sign-in settings are reported with their names", () => {
  const issuer = "issuer: https://a.example, client_id: b"
  expect(problemsOf(`console: { oidc: [{ id: a, ${issuer} }, { id: a, ${issuer} }] }`)).toContain(
    "same id",
  )
  expect(problemsOf(`console: { oidc: [{ id: "A b", ${issuer} }] }`)).toContain("oidc[0].id")
  expect(problemsOf("console: { oidc: [{ id: a, client_id: b }] }")).toContain("issuer")
  expect(problemsOf("console: { odic: [] }")).toContain("odic")
})
