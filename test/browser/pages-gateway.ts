import OpenAI from "openai"
import { expect } from "bun:test"
import type { Page } from "playwright-core"
import { type ConsoleGateway, OPERATOR, startConsole } from "./console-gateway.ts"

/** A gateway with data for its pages. */
export interface PagesGateway {
  readonly tollgate: ConsoleGateway
  /** The id of the last successful request. */
  readonly receipt: string
  /** The id of a request that the gateway rejected. */
  readonly rejected: string
}

/** Starts a gateway and sends requests, so that its pages show data. */
export async function startPagesGateway(): Promise<PagesGateway> {
  const tollgate = await startConsole(`
price_groups:
  partners:
    name: Partners and resellers
    terms:
      - { from: 2020-01-01, multiplier: 0.9 }
      - { from: 2099-01-01, prices: { sandbox/echo: { input: 1, output: 2 } } }
`)
  const client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    defaultHeaders: { "x-tollgate-session": "pages" },
  })
  let receipt = ""
  for (const model of ["sandbox/echo", "sandbox/claude", "sandbox/gemini"]) {
    const messages = [{ role: "user" as const, content: `a page of ${model}` }]
    const { response } = await client.chat.completions.create({ model, messages }).withResponse()
    receipt = response.headers.get("x-request-id") ?? ""
  }
  const messages = [{ role: "user" as const, content: "nobody answers" }]
  const unknown = client.chat.completions.create({ model: "sandbox/nothing", messages })
  const rejected = await unknown.then(
    () => "",
    ({ requestID }: { readonly requestID?: string }) => requestID ?? "",
  )
  return { tollgate, receipt, rejected }
}

/** Returns the account that the first start creates. */
export function accountId(page: Page): Promise<string> {
  return page.evaluate<string>(
    `fetch("/admin/v1/accounts").then((answer) => answer.json()).then(({ data }) => data[0].id)`,
  )
}

/** Grants an amount with so many digits that it does not fit in most places. */
export async function grantMuch(page: Page): Promise<void> {
  const account = await accountId(page)
  const response = await page.request.post(`/admin/v1/accounts/${account}/entries`, {
    headers: { "x-tollgate-console": "1" },
    data: { kind: "grant", amount: "249969371.123456789", note: "much" },
  })
  expect(response.status()).toBe(200)
}

export async function signIn(page: Page): Promise<void> {
  await page.goto("/console/sign-in")
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
}
