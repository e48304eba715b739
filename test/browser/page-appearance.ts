import { expect } from "bun:test"
import type { Page } from "playwright-core"
import { faultsOf } from "./axe-faults.ts"
import { testBrowser } from "./browser.ts"
import { IS_EXHAUSTIVE, sampleOf } from "../support/exhaustive.ts"
import { image, type VisitorOptions } from "./console-gateway.ts"

/**
 * The ways in which each page is checked: once with all rules of axe, and once for the contrast of colors in the other
 * theme on a phone. `npm test` checks only the first.
 */
const LOOKS: readonly Look[] = [
  { width: 1440, scheme: "light" },
  { width: 390, scheme: "dark", rules: ["color-contrast", "link-in-text-block"] },
]

interface Look extends Required<Omit<VisitorOptions, "locale">> {
  /** The rules of axe to check; absent: all. */
  readonly rules?: readonly string[]
}

/** A small phone, the narrowest width with a sidebar, and a desktop. `npm test` checks each page at one of them. */
const WIDTHS = [360, 820, 1_440]
/** Content that is visible only after scrolling sideways: in the page, in its tables, or in groups of choices. */
export const CUT_OFF = `[
  document.documentElement,
  ...document.querySelectorAll("[role=group]:has(table), [role=radiogroup]"),
]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .map((element) => element.getAttribute("aria-label") ?? element.tagName)`

/** Numbers that are broken across lines. Addresses may be broken. */
const BROKEN_NUMBERS = `(() => {
  const texts = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT)
  const linesOf = (shape) => new Set([...shape.getClientRects()].map(({ top }) => Math.round(top))).size
  const broken = [...document.querySelectorAll(".amount")].filter((amount) => linesOf(amount) > 1)
    .map(({ textContent }) => textContent)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.parentElement.closest("code, pre, .mono, .chart, [role=dialog]")) continue
    for (const { 0: number, index } of text.data.matchAll(/(?<![^\\s(+−])\\d[\\d.,]*\\d(?![^\\s)%;,])/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + number.length)
      if (linesOf(range) > 1) broken.push(text.data)
    }
  }
  return broken
})()`

/** Amounts that are wider than the space for them. */
const STICKING_OUT = `[...document.querySelectorAll(".figure-large .amount, dd .amount")]
  .filter((amount) => {
    const place = amount.closest(".figure-large, dd").getBoundingClientRect()
    return amount.getBoundingClientRect().right > place.right + 1
  })
  .map(({ textContent }) => textContent)`

/** Columns of a table in which the decimal points of amounts are not aligned. */
const UNALIGNED = `[...document.querySelectorAll("table")].flatMap((table) => {
  const points = new Map()
  for (const fraction of table.querySelectorAll("td .fraction")) {
    const column = fraction.closest("td").cellIndex
    points.set(column, [...(points.get(column) ?? []), fraction.getBoundingClientRect().left])
  }
  return [...points].filter(([, lefts]) => Math.max(...lefts) - Math.min(...lefts) > 1)
    .map(([column]) => table.getAttribute("aria-label") + " " + table.rows[0].cells[column].textContent)
})`

/** All of these layout faults by name. */
const MISPLACED = `({
  cutOff: ${CUT_OFF},
  broken: ${BROKEN_NUMBERS},
  stickingOut: ${STICKING_OUT},
  unaligned: ${UNALIGNED},
})`

/** Waits until the page has adapted to a new width or theme: colors have changed, and moving marks have stopped. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let drawn = 0; drawn < 3; drawn++) await new Promise((next) => requestAnimationFrame(next))
    await Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished))
  })()`)
}

/** Waits until the page has its heading, and no placeholder. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
  await settled(page)
}

/** Checks the open page in each theme, and its layout at each width. */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  await loaded(page)
  // The name decides, so that the width does not depend on the pages that this process has checked before.
  const number = Number(Bun.hash(name) % 1_000n)
  for (const { width, scheme, rules } of IS_EXHAUSTIVE ? LOOKS : LOOKS.slice(0, 1)) {
    await page.setViewportSize({ width, height: 900 })
    await testBrowser.changeScheme(page, scheme)
    await settled(page)
    if (rules === undefined) await image(page, `${name}-${width}-${scheme}`)
    expect(await faultsOf(page, rules), `${name} ${width} ${scheme}`).toEqual([])
  }
  for (const width of sampleOf(WIDTHS, WIDTHS.length, number)) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    const nothing = { cutOff: [], broken: [], stickingOut: [], unaligned: [] }
    expect(await page.evaluate(MISPLACED), `${name} at ${width}`).toEqual(nothing)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}
