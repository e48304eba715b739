import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { readCatalog } from "../../scripts/languages/catalogs.ts"
import { partsOf } from "../../scripts/languages/placeholders.ts"
import { faultsOf } from "./axe-faults.ts"
import { setUp, type Visitor, visit } from "./console-gateway.ts"
import { CUT_OFF, loaded } from "./page-appearance.ts"
import { accountId, type PagesGateway, startPagesGateway } from "./pages-gateway.ts"

let gateway: PagesGateway
let operator: Visitor
let account: string

beforeAll(async () => {
  gateway = await startPagesGateway()
  operator = await gateway.tollgate.visitor({ width: 390 })
  await setUp(operator, gateway.tollgate.setupLink)
  account = await accountId(operator.page)
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await gateway.tollgate[Symbol.asyncDispose]()
})

/** Addresses of pages under `/console/`. */
const PAGES: readonly (() => string)[] = [
  () => "",
  () => "?account=all",
  () => "keys",
  () => "keys?create=1",
  () => "connect",
  () => "usage",
  () => "usage?view=table",
  () => "requests",
  () => `requests/${gateway.receipt}`,
  () => `requests/${gateway.rejected}`,
  () => "credits",
  () => "models",
  () => "playground",
  () => "members",
  () => "notices",
  () => "audit",
  () => "providers",
  () => "accounts",
  () => `accounts/${account}`,
  () => "price-groups",
  () => "users",
  () => "codes",
  () => "settings",
  () => "profile",
]

/** Names that are English messages, too: a program to connect. */
const NAMES = ["Continue"]

test.each([
  ["de", "Deutsch"],
  ["ja", "日本語"],
])("the console uses the language %s after a user selects it in the profile", async (tag, name) => {
  const { page } = operator
  await visit(page, "profile")
  await page.locator("main select").selectOption({ label: name })
  await page.locator(`html[lang=${tag}]`).waitFor()
  const english = englishOf(readCatalog(tag))
  const faults: Record<string, unknown> = {}
  for (const address of PAGES) {
    const place = address()
    await visit(page, place)
    await loaded(page)
    const found = (await shownTexts(page)).filter(english)
    const cut = await page.evaluate<string[]>(CUT_OFF)
    if (found.length + cut.length > 0) faults[place] = { found, cut }
  }
  await visit(page, "accounts")
  await loaded(page)
  await page.getByRole("main").getByRole("button").first().click()
  await page.getByRole("dialog").getByRole("radio").first().waitFor()
  const cut = await page.evaluate<string[]>(CUT_OFF)
  if (cut.length > 0) faults["statements"] = { cut }
  await page.keyboard.press("Escape")
  expect(faults).toEqual({})
  expect(await faultsOf(page)).toEqual([])
  expect(operator.complaints).toEqual([])
})

test("the pages before sign-in use the browser's preferred language and offer others", async () => {
  await using visitor = await gateway.tollgate.visitor({ width: 390, locale: "zh-CN" })
  const { page } = visitor
  const { "Sign in": chinese = "" } = readCatalog("zh-Hans")
  await page.goto("/console/sign-in")
  await page.getByRole("heading", { name: chinese }).waitFor()
  expect(await page.locator("html").getAttribute("lang")).toBe("zh-Hans")
  expect(await page.getByRole("combobox").inputValue()).toBe("zh-Hans")
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole("combobox").selectOption("fr")
  await page.locator("html[lang=fr]").waitFor()
  await page.goto("/console/reset?token=wrong")
  await page.locator("html[lang=fr]").waitFor()
  expect(await page.getByRole("combobox").inputValue()).toBe("fr")
  expect(visitor.complaints).toEqual([])
})

/** Returns a function that reports whether a text is an English message that the catalog translates. */
function englishOf(catalog: Readonly<Record<string, string>>): (text: string) => boolean {
  const translations = new Set(Object.values(catalog))
  const translated = Object.entries(catalog).filter(
    ([text, translation]) => translation !== text && !translations.has(text),
  )
  const plain = new Set(translated.map(([text]) => text.replace(/ \[[a-z]+\]$/, "")))
  const patterns = translated
    .filter(([text]) => text.includes("{"))
    .flatMap(([text]) => patternOf(text) ?? [])
  return (text) =>
    !NAMES.includes(text) && (plain.has(text) || patterns.some((pattern) => pattern.test(text)))
}

/** Returns a pattern of the texts that a message can become; undefined if its text is a value alone. */
function patternOf(message: string): RegExp | undefined {
  const parts = partsOf(message)
  if (parts === undefined || !/[A-Za-z]{3}/.test(parts.join(""))) return undefined
  const patterns = parts.map((part) => (part === undefined ? ".+" : RegExp.escape(part)))
  return new RegExp(`^${patterns.join("")}$`)
}

/** Returns the visible texts of the page, and the names of its elements for screen readers. */
function shownTexts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = new Set()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      if (text.parentElement.closest("script, style, code, pre, .mono, [lang]:not(html)")) continue
      found.add(text.data.trim())
    }
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      for (const element of document.querySelectorAll("[" + name + "]")) found.add(element.getAttribute(name).trim())
    }
    found.add(document.title.replace(/ · Tollgate$/, ""))
    return [...found].filter((text) => text !== "")
  })()`)
}
