import { afterAll, beforeAll, expect, test } from "bun:test"
import { setUp, type Visitor, visit } from "./console-gateway.ts"
import { look } from "./page-look.ts"
import { grantMuch, type PagesGateway, startPagesGateway } from "./pages-gateway.ts"

let gateway: PagesGateway
/** An operator who stays signed in for all pages. */
let operator: Visitor

/** Addresses of pages under `/console/`. */
const PAGES: Readonly<Record<string, () => string>> = {
  overview: () => "",
  "overview-all": () => "?account=all",
  keys: () => "keys",
  "key-create": () => "keys?create=1",
  connect: () => "connect",
  usage: () => "usage",
  "usage-table": () => "usage?view=table&group=key&metric=p95&time=24h",
  "usage-outcome": () => "usage?group=outcome",
  requests: () => "requests",
  refused: () => "requests?account=all&status=refused",
  receipt: () => `requests/${gateway.receipt}`,
  "receipt-refused": () => `requests/${gateway.refused}`,
  session: () => "session?session=pages",
  credits: () => "credits",
}

beforeAll(async () => {
  gateway = await startPagesGateway()
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await gateway.tollgate[Symbol.asyncDispose]()
})

test("pages before the sign-in pass the page checks", async () => {
  await using visitor = await gateway.tollgate.visitor()
  await visitor.page.goto("/console/sign-in")
  await look(visitor.page, "sign-in")
  await visitor.page.goto(gateway.tollgate.setupLink)
  await look(visitor.page, "setup")
  await visitor.page.goto("/console/setup?token=wrong")
  await visitor.page.getByText("This link does not work").waitFor()
  expect(await visitor.page.getByRole("textbox").count()).toBe(0)
  await look(visitor.page, "setup-wrong-link")
  await visitor.page.goto("/console/reset?token=wrong")
  await visitor.page.getByText("This link no longer works").waitFor()
  expect(await visitor.page.getByRole("button").count()).toBe(0)
  expect(visitor.complaints).toEqual([])
  operator = await gateway.tollgate.visitor()
  await setUp(operator, gateway.tollgate.setupLink)
  await grantMuch(operator.page)
})

test.each(Object.entries(PAGES))("the page %s passes the page checks", async (name, address) => {
  const { page } = operator
  await visit(page, address())
  await look(page, name)
  expect(operator.complaints).toEqual([])
})
