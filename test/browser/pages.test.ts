import { afterAll, beforeAll, expect, test } from "bun:test"
import { source as AXE } from "axe-core"
import OpenAI from "openai"
import type { Page } from "playwright-core"
import {
  type ConsoleGateway,
  OPERATOR,
  image,
  setUp,
  startConsole,
  type VisitorOptions,
} from "./console-gateway.ts"

/** Every page, wide and narrow, light and dark: seen by axe, and kept as an image. */
const TIME = 120_000
const PAGES = {
  overview: "",
  keys: "keys",
  "key-create": "keys?create=1",
  connect: "connect",
  usage: "usage",
  "usage-table": "usage?view=table&group=key&metric=p95&time=24h",
  requests: "requests",
  credits: "credits",
  models: "models",
  playground: "playground",
  members: "members",
  notices: "notices",
  audit: "audit",
  providers: "providers",
  accounts: "accounts",
  users: "users",
  codes: "codes",
  settings: "settings",
  profile: "profile",
} as const
/** Axe looks at one of each width and of each theme: what it finds depends on no pair of them. */
const LOOKS: readonly (Required<VisitorOptions> & { readonly isJudged: boolean })[] = [
  { width: 1440, scheme: "light", isJudged: true },
  { width: 1440, scheme: "dark", isJudged: false },
  { width: 390, scheme: "light", isJudged: false },
  { width: 390, scheme: "dark", isJudged: true },
]

/** From a small phone to a large screen, with the widths at which the layout changes. */
const WIDTHS = [360, 769, 820, 1_024, 1_200, 1_440, 2_560]
/** What a reader has to scroll sideways to see: the page itself, and its tables of data. */
const CUT_OFF = `[document.documentElement, ...document.querySelectorAll("[role=group]:has(table)")]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .map((element) => element.getAttribute("aria-label") ?? element.tagName)`

let tollgate: ConsoleGateway
let receipt: string

beforeAll(async () => {
  tollgate = await startConsole()
  const client = new OpenAI({ apiKey: tollgate.firstKey, baseURL: `${tollgate.url}/v1` })
  for (const model of ["sandbox/echo", "sandbox/claude", "sandbox/gemini"]) {
    const messages = [{ role: "user" as const, content: `a page of ${model}` }]
    const { response } = await client.chat.completions.create({ model, messages }).withResponse()
    receipt = response.headers.get("x-request-id") ?? ""
  }
}, TIME)

afterAll(async () => {
  await tollgate[Symbol.asyncDispose]()
}, TIME)

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or worse. */
async function faultsOf(page: Page): Promise<string[]> {
  // As a person would who inspects a page: outside of its content security policy.
  await page.evaluate(AXE)
  const violations = await page.evaluate<Violation[]>(
    "axe.run().then(({ violations }) => JSON.parse(JSON.stringify(violations)))",
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
}

/** What follows a new width or theme has been drawn: colours and marks that move are where they belong. */
async function settled(page: Page): Promise<void> {
  const frame = "new Promise((drawn) => requestAnimationFrame(drawn))"
  for (let drawn = 0; drawn < 3; drawn++) await page.evaluate(frame)
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished))`,
  )
}

/** Looks at the page as it stands in each width and theme. */
async function look(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
  for (const { width, scheme, isJudged } of LOOKS) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" })
    await settled(page)
    await image(page, `${name}-${width}-${scheme}`)
    if (isJudged) expect(await faultsOf(page), `${name} ${width} ${scheme}`).toEqual([])
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    expect(await page.evaluate<string[]>(CUT_OFF), `${name} at ${width}`).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test(
  "pages before the sign-in",
  async () => {
    await using visitor = await tollgate.visitor()
    await visitor.page.goto("/console/sign-in")
    await look(visitor.page, "sign-in")
    await visitor.page.goto(tollgate.setupLink)
    await look(visitor.page, "setup")
    expect(visitor.complaints).toEqual([])
    await using first = await tollgate.visitor()
    await setUp(first, tollgate.setupLink)
  },
  TIME,
)

test(
  "pages of those who are signed in",
  async () => {
    await using visitor = await tollgate.visitor()
    const { page } = visitor
    await page.goto("/console/sign-in")
    await page.getByLabel("Email").fill(OPERATOR.email)
    await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    for (const [name, address] of Object.entries({ ...PAGES, receipt: `requests/${receipt}` })) {
      await page.goto(`/console/${address}`)
      await look(page, name)
    }
    expect(visitor.complaints).toEqual([])
  },
  TIME,
)
