import type { Page } from "playwright-core"

/** Maximum sum of layout shifts while a page loads. Google rates sums above 0.1 as in need of improvement. */
export const MAX_LAYOUT_SHIFT = 0.05

/** Records the layout shifts of each page that is loaded from now on. Only Chromium reports them. */
export async function recordLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    window.layoutShifts = []
    if (!PerformanceObserver.supportedEntryTypes.includes("layout-shift")) return
    const observer = new PerformanceObserver((list) => window.layoutShifts.push(...list.getEntries()))
    observer.observe({ type: "layout-shift", buffered: true })
    window.layoutShiftObserver = observer
  })()`)
}

/**
 * Clears the recorded layout shifts, before another page of the console is opened without loading. Waits until the open
 * page has adapted to its last change of width, which shifts it as well.
 */
export async function clearLayoutShifts(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let drawn = 0; drawn < 3; drawn++) await new Promise((next) => requestAnimationFrame(next))
    window.layoutShiftObserver?.takeRecords()
    window.layoutShifts = []
  })()`)
}

/** Returns the sum of the layout shifts that no input of the user caused, with their largest elements. */
export async function layoutShift(page: Page): Promise<{ sum: number; elements: string[] }> {
  return page.evaluate(`(() => {
    const shifts = (window.layoutShifts ?? []).filter(({ hadRecentInput }) => !hadRecentInput)
    const nameOf = ({ node }) => node === null ? "removed" : [node.nodeName, node.className].join(".").slice(0, 80)
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      elements: shifts.map(({ value, sources }) => [value.toFixed(3), ...sources.map(nameOf)].join(" ")),
    }
  })()`)
}

/**
 * Returns the links, buttons and fields that are smaller than 24 by 24 CSS pixels: WCAG 2.2, criterion 2.5.8. Links in
 * sentences are exempt. A field belongs to its label and its frame, which are clicked as well.
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const selector = "a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=switch]"
    const frame = (target) =>
      target.closest("label") ?? target.parentElement.closest("[class*=Input-input]") ??
      (target.matches("[type=checkbox], [type=radio]") ? target.closest("[class*=root]") : null) ?? target
    const isInSentence = (target) =>
      target.matches("a") && target.parentElement.textContent.trim() !== target.textContent.trim() &&
      [...target.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "")
    return [...document.querySelectorAll(selector)]
      .filter((target) => target.closest("[aria-hidden=true]") === null)
      .filter((target) => target.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((target) => !isInSentence(target))
      .flatMap((target) => {
        const { width, height } = frame(target).getBoundingClientRect()
        const isHidden = width <= 1 || height <= 1
        if (isHidden || (width >= 24 && height >= 24)) return []
        const name = target.getAttribute("aria-label") ?? target.textContent
        return [target.nodeName + " " + name + ": " + Math.round(width) + " x " + Math.round(height)]
      })
  })()`)
}
