import { source as AXE } from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/**
 * Returns axe's serious and critical findings.
 * @param rules the only rules to check; absent: all.
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // As a person would who inspects a page: outside of its content security policy.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const wanted = {
    // Successful checks are not described, nor are the positions of faults, which saves half of the time.
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
