import { afterAll, beforeAll, expect, test } from "bun:test"
import type { CDPSession, Page } from "playwright-core"
import {
  type ConsoleGateway,
  image,
  OPERATOR,
  setUp,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"

let tollgate: ConsoleGateway
let operator: Visitor
let authenticator: string
let devtools: CDPSession

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor({}, atLocalhost(tollgate.url))
  await setUp(operator, atLocalhost(tollgate.setupLink))
  devtools = await operator.context.newCDPSession(operator.page)
  await devtools.send("WebAuthn.enable")
  const added = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  authenticator = added.authenticatorId
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

/** Replaces the IP address with `localhost`, because browsers offer passkeys only for addresses with a name. */
function atLocalhost(url: string): string {
  return url.replace("127.0.0.1", "localhost")
}

async function openProfile(page: Page): Promise<void> {
  await page.goto("/console/profile")
  await page.getByRole("heading", { name: "Passkeys" }).waitFor()
}

async function signOut(page: Page): Promise<void> {
  await page.request.fetch("/admin/v1/session", {
    method: "DELETE",
    headers: { "x-tollgate-console": "1" },
  })
  await page.goto("/console/sign-in")
}

async function userVerifies(isUserVerified: boolean): Promise<void> {
  const change = { authenticatorId: authenticator, isUserVerified }
  await devtools.send("WebAuthn.setUserVerified", change)
}

test("a passkey created on the profile page signs the user in without a password", async () => {
  const { page } = operator
  await openProfile(page)
  await page.getByRole("button", { name: "Add a passkey" }).click()
  await page.getByRole("textbox", { name: "Name" }).fill("my laptop")
  await page.getByLabel("Your password").fill("not my password")
  await page.getByRole("button", { name: "Add the passkey" }).click()
  await page.getByText("The password is wrong.").waitFor()
  await page.getByLabel("Your password").fill(OPERATOR.password)
  await page.getByRole("button", { name: "Add the passkey" }).click()
  const table = page.getByRole("table", { name: "Passkeys" })
  await table.getByText("my laptop").waitFor()
  await image(page, "passkeys")

  await signOut(page)
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  const { credentials } = await devtools.send("WebAuthn.getCredentials", {
    authenticatorId: authenticator,
  })
  expect(credentials).toMatchObject([{ rpId: "localhost", isResidentCredential: true }])
  expect(operator.complaints).toEqual([])
})

test("a user whom the device cannot verify is not signed in, and sees an explanation", async () => {
  const { page } = operator
  await signOut(page)
  await userVerifies(false)
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByText("It was cancelled, or took too long. Try again.").waitFor()
  await image(page, "sign-in-with-passkey")
  await userVerifies(true)
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
})

test("a passkey is renamed and removed, and is then no longer accepted", async () => {
  const { page } = operator
  await openProfile(page)
  await page.getByRole("button", { name: "Add a passkey" }).click()
  await page.getByRole("textbox", { name: "Name" }).fill("once more")
  await page.getByLabel("Your password").fill(OPERATOR.password)
  await page.getByRole("button", { name: "Add the passkey" }).click()
  await page.getByText("This device has a passkey for this gateway already.").waitFor()
  await page.getByRole("button", { name: "Cancel" }).click()

  await page.getByRole("button", { name: "Rename my laptop" }).click()
  await page.getByRole("textbox", { name: "Name" }).fill("old laptop")
  await page.getByRole("button", { name: "Rename", exact: true }).click()
  await page.getByRole("button", { name: "Remove old laptop" }).click()
  await page.getByRole("button", { name: "Remove the passkey" }).click()
  await page.getByText("The passkey is removed.").waitFor()
  await page.getByRole("table", { name: "Passkeys" }).waitFor({ state: "detached" })
  await signOut(page)
  await page.getByRole("button", { name: "Sign in with a passkey" }).click()
  await page.getByText("This passkey is not registered here.").waitFor()
})

test("the console at an address without a host name offers no passkeys and shows the reason", async () => {
  await using visitor = await tollgate.visitor()
  const { page } = visitor
  await page.goto("/console/sign-in")
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByRole("textbox", { name: "Password" }).fill(OPERATOR.password)
  expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  await openProfile(page)
  await page.getByText("Passkeys need HTTPS and a host name. Set server.public_url").waitFor()
  expect(await page.getByRole("button", { name: "Add a passkey" }).count()).toBe(0)
  expect(visitor.complaints).toEqual([])
})
