import { expect, test } from "bun:test"
import { describeSettings } from "../../src/config/describe.ts"
import { secretsOf } from "../../src/config/secret-values.ts"
import { load, problems } from "./harness.ts"

const MAIL = 'notices: { smtp: "smtps://ada:s%40cret@mail.example.com", from: "T <t@example.com>" }'

test("notices use email only with a mail server, and private addresses only if they are allowed", () => {
  expect(load("").settings.notices).toEqual({ allowsPrivate: false })
  expect(load("notices: { private: true }").settings.notices).toEqual({ allowsPrivate: true })
  expect(load(MAIL).settings.notices.mail).toEqual({
    smtp: "smtps://ada:s%40cret@mail.example.com",
    from: "T <t@example.com>",
  })
})

test("the URL and the password of the mail server are secrets", () => {
  const { settings } = load(MAIL)
  expect(JSON.stringify(describeSettings(settings))).not.toContain("cret")
  expect(secretsOf(settings)).toContain("s@cret")
})

test.each([
  ["notices: { smtp: smtp://mail.example.com }", "needs both smtp and from"],
  ["notices: { from: t@example.com }", "needs both smtp and from"],
  ["notices: { smtp: https://mail.example.com, from: t@example.com }", "notices.smtp"],
  ["notices: { smtp: smtp://mail.example.com, from: nobody }", "notices.from"],
  ['notices: { smtp: smtp://m.example.com, from: "a\\r\\nBcc: b@example.com" }', "notices.from"],
])("invalid notice settings are rejected: %s", (text, words) => {
  expect(problems(text).join("\n")).toContain(words)
})
