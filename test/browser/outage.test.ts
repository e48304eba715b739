import { afterAll, beforeAll, expect, test } from "bun:test"
import { type ServingProcess, startServing } from "../support/process.ts"
import {
  type ConsoleGateway,
  open,
  OPERATOR,
  setUp,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"

let tollgate: ConsoleGateway
let operator: Visitor
/** The gateway that was started again after the first one ended. */
let restarted: ServingProcess | undefined

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await restarted?.[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

async function stop(): Promise<void> {
  const { process } = restarted ?? tollgate.gateway
  process.kill("SIGKILL")
  await process.exited
}

/** Starts the gateway again at the same address. */
async function start(): Promise<void> {
  const { port } = new URL(tollgate.url)
  restarted = await startServing(tollgate.installation, { TOLLGATE_PORT: port })
}

test("a page or list that failed to load appears when the gateway is available again", async () => {
  const { page } = operator
  await open(operator, "Keys")
  await open(operator, "Overview")
  await stop()
  const navigation = page.getByRole("navigation")
  await navigation.getByRole("link", { name: "Audit", exact: true }).click()
  await page.getByText("This page could not be loaded").waitFor()
  await start()
  await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor()

  await open(operator, "Keys")
  await stop()
  await page.getByText("Revoked", { exact: true }).click()
  await page.getByText("The keys could not be loaded").waitFor()
  await start()
  await page.getByText("No matching keys").waitFor()
  expect(await page.getByRole("alert").count()).toBe(0)
})

test("a page whose script could not be loaded appears at the next attempt", async () => {
  const { page } = operator
  const part = /\/assets\/first-steps-/
  await page.route(part, (route) => route.abort())
  await page.goto("/console/")
  await page.getByText("This page could not be loaded").waitFor()
  await page.unroute(part)
  await page.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  await page.getByRole("heading", { name: "Your first request" }).waitFor()
})

test("a user who signs in again returns to the same page", async () => {
  const { page, context } = operator
  // The audit page requests its list only once. The overview would send further requests, which would reveal that the
  // session has ended.
  await open(operator, "Audit")
  await page.getByRole("table", { name: "Changes" }).getByRole("button").first().waitFor()
  await context.clearCookies()
  await page.getByRole("navigation").getByRole("link", { name: "Requests" }).click()
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor()
})

test("Escape does not discard a new secret", async () => {
  const { page } = operator
  await open(operator, "Keys")
  await page.getByRole("button", { name: "Create a key" }).first().click()
  await page.getByLabel("Name").fill("kept")
  await page.getByRole("button", { name: "Create the key" }).click()
  await page.getByTestId("secret").waitFor()
  await page.keyboard.press("Escape")
  await page.getByTestId("secret").waitFor()
  await page.getByRole("button", { name: "I have copied it" }).click()
  await page.getByTestId("secret").waitFor({ state: "detached" })
})

test("no page reported an error other than the outage", () => {
  // Files that could not be loaded during the outage. A file contains a page or a part of a page.
  const outage =
    /PageNotLoaded|Failed to fetch dynamically imported module|error loading dynamically imported module/
  expect(operator.complaints.filter((text) => !outage.test(text))).toEqual([])
})
