import { source as AXE } from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** The faults that axe finds serious or worse. @param rules the rules to check; absent: all. */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated as in developer tools, outside the page's content security policy.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const wanted = {
    // Passed rules and the selectors of faults are left out, which halves the time.
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
