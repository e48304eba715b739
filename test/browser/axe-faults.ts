import { source as AXE } from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * Returns the faults that axe rates as serious or critical.
 * @param rules the rules to check; absent: all.
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The script is evaluated as in the developer tools, where the page's content security policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const wanted = {
    // Passed rules and the selectors of faults are not reported, which halves the time.
    resultTypes: ["violations"],
    selectors: false,
    ...(rules !== undefined && { runOnly: { type: "rule", values: rules } }),
  }
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(wanted)}).then(({ violations }) => JSON.parse(JSON.stringify(violations)))`,
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
}
